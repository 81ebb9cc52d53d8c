/** What a checkout may hold at most. */
export interface TreeLimits {
  /** Of one file; larger ones are left out. */
  fileBytes: number;
  /** Of all files together. */
  totalBytes: number;
  files: number;
}

export const LARGEST_FILE_BYTES = 20 * 1024 ** 2;

export const TREE_LIMITS: TreeLimits = { fileBytes: LARGEST_FILE_BYTES, totalBytes: 2 * 1024 ** 3, files: 200_000 };
