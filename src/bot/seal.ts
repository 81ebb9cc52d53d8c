import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

/** For something that passes through Redis: readable by whoever has the secret, and only for the use it was sealed for. */
export function seal(text: string, secret: string, use: string): string {
  const salt = randomBytes(16);
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(secret, salt), iv).setAAD(Buffer.from(use));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([salt, iv, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Null when it was sealed with another secret, for another use, or was changed. */
export function unseal(sealed: string, secret: string, use: string): string | null {
  const bytes = Buffer.from(sealed, "base64");
  const [salt, iv, tag, body] = [
    bytes.subarray(0, 16),
    bytes.subarray(16, 28),
    bytes.subarray(28, 44),
    bytes.subarray(44),
  ];
  try {
    const decipher = createDecipheriv("aes-256-gcm", keyOf(secret, salt), iv, { authTagLength: 16 });
    decipher.setAAD(Buffer.from(use)).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

function keyOf(secret: string, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, "repgen queue", 32));
}
