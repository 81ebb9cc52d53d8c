/** What the bot reads and writes on the forge, with one installation's rights. Each throws a `ForgeFault`. */
export interface Desk {
  roleOf(repository: string, login: string): Promise<Role>;
  /** The forge's id of what has that name now; null when nothing has. A name may be somebody else's after a rename. */
  idOf(repository: string): Promise<number | null>;
  /** In the order they were written; of more than a thousand, the latest. With `since`, those written or edited later. */
  commentsOf(repository: string, issue: number, since?: Date): Promise<Comment[]>;
  createComment(repository: string, issue: number, body: string): Promise<{ id: number; url: string }>;
  /** `gone` when somebody has deleted it. */
  editComment(repository: string, comment: number, body: string): Promise<{ url: string } | "gone">;
  /** Fine when it is not there. */
  deleteComment(repository: string, comment: number): Promise<void>;
  /** Adds a reaction to a comment, or to the issue when that is null. */
  react(repository: string, to: { issue: number; comment: number | null }, content: Reaction): Promise<void>;
  labelsOf(repository: string, issue: number): Promise<string[]>;
  /** Makes the label where the repository does not have it, and leaves one that is there as it is. */
  addLabel(repository: string, issue: number, label: Label): Promise<void>;
  /** Fine when it is not there. */
  removeLabel(repository: string, issue: number, label: string): Promise<void>;
  /** A file of the default branch; null when it is not there. `text` is null when it is too long to be given (1 MB). */
  readFile(repository: string, path: string): Promise<{ text: string | null; sha: string } | null>;
}

/** The App itself: what it may do without a person's installation in mind. */
export interface AppDesk {
  of(installationId: number): Desk;
  /** Good for an hour, for reading this repository and nothing else. */
  readToken(installationId: number, repositoryId: number): Promise<string>;
  /** Deliveries that were not answered with success since then, oldest first. */
  missedDeliveries(since: Date): Promise<{ guid: string; event: string; payload: unknown }[]>;
}

/** GitHub's `role_name`; custom roles are told by the standard one that they include. */
export type Role = "admin" | "maintain" | "write" | "triage" | "read" | "none";

export type Reaction = "eyes" | "confused";

export interface Comment {
  id: number;
  body: string;
  author: string | null;
  /** The App itself wrote it. */
  isOwn: boolean;
  createdAt: string;
  updatedAt: string;
  url: string;
}

export interface Label {
  name: string;
  /** Six hexadecimal digits. */
  color: string;
  description: string;
}
