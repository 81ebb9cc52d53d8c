import { z } from "zod";

const Account = z.object({ login: z.string(), type: z.string() });

/** What of an issue's state at the event is needed later: its text is pinned here. */
const DeliveredIssue = z.object({
  id: z.number(),
  number: z.number(),
  title: z.string(),
  body: z
    .string()
    .nullable()
    .transform((body) => body ?? ""),
  html_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  user: Account.nullable(),
  pull_request: z.unknown().optional(),
});

const DeliveredComment = z.object({
  id: z.number(),
  body: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  user: Account.nullable(),
});

/** That something changed; not what it was before. */
const changed = z.unknown().transform(() => true);

/** A webhook delivery, of GitHub's payload as much as the bot uses. Hostile but for ids and names of the repository. */
export const Delivery = z.object({
  /** GitHub's GUID of the delivery; the same when it is sent again. */
  guid: z.string().regex(/^[\w-]{1,64}$/),
  event: z.enum(["issues", "issue_comment"]),
  action: z.string(),
  installation: z.object({ id: z.number() }),
  repository: z.object({
    id: z.number(),
    full_name: z.string(),
    private: z.boolean(),
    default_branch: z.string(),
  }),
  sender: Account,
  issue: DeliveredIssue,
  label: z.object({ name: z.string() }).nullish(),
  comment: DeliveredComment.nullish(),
  /** What an edit changed. */
  changes: z.object({ title: changed.optional(), body: changed.optional() }).nullish(),
});
export type Delivery = z.infer<typeof Delivery>;

/** When it happened, by GitHub's clock; to the second. */
export function timeOf({ comment, issue }: Delivery): string {
  return comment?.created_at ?? issue.updated_at;
}

/** Does somebody wait for the answer, rather than for a run. */
export function isUrgent({ comment }: Delivery): boolean {
  return /^\/repro +(cancel|status)/m.test(comment?.body ?? "");
}

const Concerning = z.object({
  action: z.string(),
  sender: Account,
  issue: z.object({ user: Account.nullable(), pull_request: z.unknown().optional() }),
  comment: z.object({ body: z.string() }).nullish(),
});

/** Could the bot have something to do here? Decided from the payload alone, before anything is kept. */
export function concerns(event: string, payload: unknown): boolean {
  const read = Concerning.safeParse(payload);
  if (!read.success) return false;
  const { action, sender, issue, comment } = read.data;
  // A bot never triggers anything, and so neither does this one.
  if (sender.type !== "User" || issue.pull_request != null) return false;
  const isReporter = sender.login === issue.user?.login;
  if (event === "issues") return action === "labeled" || (action === "edited" && isReporter);
  const mayCommand = /^\/repro\b/m.test(comment?.body ?? "");
  return event === "issue_comment" && action === "created" && (mayCommand || isReporter);
}
