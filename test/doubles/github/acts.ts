import {
  addComment,
  addLabel,
  type Change,
  closeIssue,
  deleteComment,
  editComment,
  editIssue,
  openIssue,
  removeLabel,
} from "./changes.ts";
import type { NamedRepository, World } from "./present.ts";
import { ensureUser, type GitHubComment, isSame } from "./state.ts";
import type { Happening, Postman } from "./webhooks.ts";

/** An issue, and the login of who does something with it; an unknown login is a new user. */
export interface OnIssue {
  /** `owner/name` */
  repository: string;
  number: number;
  by: string;
}

/** GUID of the delivery of what was done. */
export interface Told {
  guid: string;
}

/**
 * What people do. Each ends when the webhook was answered, or was not; the state is changed at once. Roles are not
 * looked at. @throws where GitHub would not let anybody: an unknown issue, a label that is there already.
 */
export interface Acts {
  /** Each of the labels is told of after the issue; the GUID is that of the issue. */
  openIssue(act: {
    repository: string;
    title: string;
    body?: string | null;
    labels?: string[];
    by: string;
  }): Promise<Told & { number: number }>;
  label(act: OnIssue & { label: string }): Promise<Told>;
  unlabel(act: OnIssue & { label: string }): Promise<Told>;
  comment(act: OnIssue & { body: string }): Promise<Told & { id: number }>;
  editComment(act: OnIssue & { id: number; body: string }): Promise<Told>;
  deleteComment(act: OnIssue & { id: number }): Promise<Told>;
  editIssue(act: OnIssue & { title?: string; body?: string }): Promise<Told>;
  closeIssue(act: OnIssue): Promise<Told>;
}

export function createActs(world: World, postman: Postman): Acts {
  const tell = async (happening: Happening | null): Promise<Told> => {
    if (happening === null) throw new Error("this changes nothing, so GitHub would tell nobody");
    const { guid, delivered } = postman.tell(happening);
    await delivered;
    return { guid };
  };
  const on = (act: OnIssue) => changeOf(world, act);
  return {
    async openIssue({ repository, title, body = null, labels = [], by }) {
      const named = namedRepository(world, repository);
      const user = ensureUser(world.state, by).login;
      const { issue, opened, labeled } = openIssue(named, user, { title, body, labels });
      const told = await tell(opened);
      for (const happening of labeled) await tell(happening);
      return { ...told, number: issue.number };
    },
    label: async (act) => tell(addLabel(on(act), act.label)),
    unlabel: async (act) => tell(removeLabel(on(act), act.label)),
    async comment(act) {
      const happening = addComment(on(act), act.body);
      return { ...(await tell(happening)), id: happening.comment.id };
    },
    editComment: async (act) => tell(editComment(on(act), commentOf(on(act), act.id), act.body)),
    deleteComment: async (act) => tell(deleteComment(on(act), commentOf(on(act), act.id))),
    editIssue: async (act) => {
      const { title, body } = act;
      const given = { ...(title === undefined ? {} : { title }), ...(body === undefined ? {} : { body }) };
      return tell(editIssue(on(act), given));
    },
    closeIssue: async (act) => tell(closeIssue(on(act))),
  };
}

function namedRepository(world: World, fullName: string): NamedRepository {
  const found = Object.entries(world.state.repositories).find(([name]) => isSame(name, fullName));
  if (found === undefined) throw new Error(`there is no repository ${fullName}`);
  return { fullName: found[0], repository: found[1] };
}

function changeOf(world: World, { repository, number, by }: OnIssue): Change {
  const named = namedRepository(world, repository);
  const issue = named.repository.issues.find((other) => other.number === number);
  if (issue === undefined) throw new Error(`there is no issue ${repository}#${number}`);
  return { named, issue, by: ensureUser(world.state, by).login };
}

function commentOf({ issue }: Change, id: number): GitHubComment {
  const comment = issue.comments.find((other) => other.id === id);
  if (comment === undefined) throw new Error(`there is no comment ${id} at issue ${issue.number}`);
  return comment;
}
