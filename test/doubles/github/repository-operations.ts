import { createHash } from "node:crypto";
import { type Call, invalid, notFound, type Operation, page, Refusal, repositoryOf, text } from "./calls.ts";
import { presentFile, presentLabel, presentRepository, presentUser } from "./present.ts";
import { findUser, type GitHubRole, isSame, roleOf } from "./state.ts";

/** What is asked of a repository with the token of an installation. */
export const repositoryOperations: Record<string, Operation> = {
  "GET /repos/{owner}/{repo}": {
    as: "installation",
    needs: ["metadata", "read"],
    answer: (call) => ({ status: 200, body: presentRepository(call.world, repositoryOf(call)) }),
  },
  "GET /repos/{owner}/{repo}/contents/{path}": {
    as: "installation",
    needs: ["contents", "read"],
    answer: getContent,
  },
  "GET /repos/{owner}/{repo}/collaborators/{username}/permission": {
    as: "installation",
    needs: ["metadata", "read"],
    answer: getPermission,
  },
  "GET /repos/{owner}/{repo}/labels": { as: "installation", needs: ["issues", "read"], answer: listLabels },
  "POST /repos/{owner}/{repo}/labels": { as: "installation", needs: ["issues", "write"], answer: createLabel },
  "GET /repos/{owner}/{repo}/labels/{name}": { as: "installation", needs: ["issues", "read"], answer: getLabel },
};

/** A file, as JSON or, where the request accepts a `raw` media type, as it is. */
function getContent(call: Call) {
  const named = repositoryOf(call);
  const path = text(call, "path");
  const ref = text(call, "ref").replace("refs/heads/", "");
  if (ref !== "" && ref !== named.repository.default_branch) throw notFound(`No commit found for the ref ${ref}`);
  const file = Object.hasOwn(named.repository.files, path) ? named.repository.files[path] : undefined;
  if (file === undefined) throw notFound();
  const isRaw = /\braw\b/.test(call.headers.accept ?? "");
  const body = isRaw ? file : presentFile(call.world, named, path, file);
  const etag = `W/"${createHash("sha256").update(JSON.stringify(body)).digest("hex")}"`;
  if (call.headers["if-none-match"] === etag) return { status: 304, headers: { etag } };
  const type: Record<string, string> = isRaw ? { "content-type": "application/vnd.github.raw; charset=utf-8" } : {};
  return { status: 200, headers: { etag, ...type }, body };
}

/** The older words of `permission`, which has no "maintain" and no "triage". */
const permissions: Record<GitHubRole, string> = {
  admin: "admin",
  maintain: "write",
  write: "write",
  triage: "read",
  read: "read",
  none: "none",
};

const roles: GitHubRole[] = ["none", "read", "triage", "write", "maintain", "admin"];

function getPermission(call: Call) {
  const { fullName, repository } = repositoryOf(call);
  const user = findUser(call.world.state, text(call, "username"));
  if (user === null) throw notFound(`${text(call, "username")} is not a user`);
  const role = roleOf(fullName, repository, user.login);
  const may = (least: GitHubRole) => roles.indexOf(role) >= roles.indexOf(least);
  const [admin, maintain, push] = [may("admin"), may("maintain"), may("write")];
  const allowed = { admin, maintain, push, triage: may("triage"), pull: may("read") };
  const shown = { ...presentUser(call.world, user.login), permissions: allowed, role_name: role };
  return { status: 200, body: { permission: permissions[role], role_name: role, user: shown } };
}

function listLabels(call: Call) {
  const named = repositoryOf(call);
  const { items, headers } = page(call, named.repository.labels);
  return { status: 200, headers, body: items.map(({ name }) => presentLabel(call.world, named, name)) };
}

/** GitHub's limits on labels are in the words of its description only. */
function createLabel(call: Call) {
  const named = repositoryOf(call);
  const { name, color = "ededed", description = null } = call.body as { name: string } & Record<string, string>;
  if (!/^[0-9a-f]{6}$/i.test(color)) throw invalid("Label", "color", `color ${color} has not six hexadecimal digits`);
  if (name.trim() === "" || [...name].length > 50)
    throw invalid("Label", "name", "name is empty or over 50 characters");
  if ([...(description ?? "")].length > 100)
    throw invalid("Label", "description", "description is over 100 characters");
  if (named.repository.labels.some((label) => isSame(label.name, name))) {
    const errors = [{ resource: "Label", code: "already_exists", field: "name" }];
    throw new Refusal(422, "Validation Failed", { errors });
  }
  named.repository.labels.push({ name, color, description });
  const body = presentLabel(call.world, named, name);
  return { status: 201, headers: { location: String(body.url) }, body };
}

function getLabel(call: Call) {
  const named = repositoryOf(call);
  if (!named.repository.labels.some(({ name }) => isSame(name, text(call, "name")))) throw notFound();
  return { status: 200, body: presentLabel(call.world, named, text(call, "name")) };
}
