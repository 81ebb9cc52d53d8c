const image =
  /!\[[^[\]\n]*\]\([^()\n]*\)|<img\b[^<>]*>|https?:\/\/(?:github\.com\/user-attachments\/assets\/|user-images\.githubusercontent\.com\/)[^\s)<>"]+/gi;

/** Does the text show an image, in Markdown or HTML or as an upload's bare link. */
export function hasImage(text: string): boolean {
  return text.search(image) >= 0;
}

export function withoutImages(text: string): string {
  return text.replace(image, " ");
}
