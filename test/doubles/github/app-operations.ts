import { randomBytes } from "node:crypto";
import { suspended } from "./authorize.ts";
import { type Call, integer, linkTo, notFound, type Operation, page, Refusal, repositoryOf, text } from "./calls.ts";
import { presentApp, presentDeliveryItem, presentInstallation, presentRepository } from "./present.ts";
import { type GitHubPermissions, type GitHubState, type GitHubToken, installedOn, isSame } from "./state.ts";

/** What the App asks with its JWT. */
export const appOperations: Record<string, Operation> = {
  "GET /app": { as: "app", answer: (call) => ({ status: 200, body: presentApp(call.world) }) },
  "GET /app/installations": { as: "app", answer: listInstallations },
  "GET /repos/{owner}/{repo}/installation": { as: "app", answer: getInstallation },
  "POST /app/installations/{installation_id}/access_tokens": { as: "app", answer: createToken },
  "GET /app/hook/deliveries": { as: "app", answer: listDeliveries },
  "GET /app/hook/deliveries/{delivery_id}": { as: "app", answer: getDelivery },
  "POST /app/hook/deliveries/{delivery_id}/attempts": { as: "app", answer: attemptDelivery },
};

function listInstallations(call: Call) {
  const { items, headers } = page(call, [presentInstallation(call.world)]);
  return { status: 200, headers, body: items };
}

function getInstallation(call: Call) {
  const { fullName } = repositoryOf(call);
  if (!installedOn(call.world.state).includes(fullName)) throw notFound();
  return { status: 200, body: presentInstallation(call.world) };
}

function createToken(call: Call) {
  const { state, installationId } = call.world;
  if (integer(call, "installation_id") !== installationId) throw notFound();
  if (state.installation.suspended_at !== null) throw new Refusal(403, suspended);
  const repositories = repositoriesAskedFor(call);
  const permissions = permissionsAskedFor(state, call.body.permissions as GitHubPermissions | undefined);
  const value = `ghs_${randomBytes(27).toString("base64url").replaceAll(/[-_]/g, "0")}`;
  const expires = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
  const token: GitHubToken = { expires_at: expires, repositories, permissions };
  state.tokens[value] = token;
  const named = (repositories ?? []).flatMap((fullName) => {
    const repository = state.repositories[fullName];
    return repository === undefined ? [] : [presentRepository(call.world, { fullName, repository })];
  });
  const isSelected = repositories !== null || state.installation.repositories !== null;
  const body = {
    token: value,
    expires_at: expires,
    permissions,
    repository_selection: isSelected ? "selected" : "all",
    ...(repositories === null ? {} : { repositories: named }),
  };
  return { status: 201, body };
}

/** Full names; null where the request names none. @throws {Refusal} 422 where one is out of the installation's reach. */
function repositoriesAskedFor({ world, body }: Call): string[] | null {
  const names = body.repositories as string[] | undefined;
  const ids = body.repository_ids as number[] | undefined;
  if (names === undefined && ids === undefined) return null;
  const installed = installedOn(world.state);
  const byName = (names ?? []).map((name) => installed.find((full) => isSame(full.split("/")[1] ?? "", name)));
  const byId = (ids ?? []).map((id) => installed.find((full) => world.state.repositories[full]?.id === id));
  const found = [...byName, ...byId];
  const known = found.filter((name) => name !== undefined);
  if (known.length < found.length) {
    throw new Refusal(
      422,
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
    );
  }
  return [...new Set(known)];
}

/** Reading metadata comes with any. @throws {Refusal} 422 where the installation does not have one. */
function permissionsAskedFor({ installation }: GitHubState, asked: GitHubPermissions | undefined): GitHubPermissions {
  if (asked === undefined) return { ...installation.permissions };
  const isGranted = Object.entries(asked).every(
    ([name, level]) => installation.permissions[name] === "write" || installation.permissions[name] === level,
  );
  if (!isGranted) throw new Refusal(422, "The permissions requested are not granted to this installation.");
  return { metadata: "read", ...asked };
}

/** The newest first, from the one that the cursor names. */
function listDeliveries(call: Call) {
  const status = text(call, "status");
  const deliveries = call.world.state.deliveries
    .filter(({ status_code }) => status === "" || (status === "success") === (status_code >= 200 && status_code < 400))
    .sort((left, right) => right.id - left.id);
  const [, from = ""] = /^v1_(\d+)$/.exec(text(call, "cursor")) ?? [];
  if (from === "" && text(call, "cursor") !== "") throw new Refusal(400, "The cursor is not valid");
  const rest = from === "" ? deliveries : deliveries.filter(({ id }) => id <= Number(from));
  const size = Math.min(Math.max(integer(call, "per_page"), 1), 100);
  const next = rest[size];
  const headers: Record<string, string> =
    next === undefined ? {} : { link: linkTo(call, "cursor", `v1_${next.id}`, "next") };
  return { status: 200, headers, body: rest.slice(0, size).map(presentDeliveryItem) };
}

function getDelivery(call: Call) {
  const delivery = call.world.state.deliveries.find(({ id }) => id === integer(call, "delivery_id"));
  if (delivery === undefined) throw notFound();
  const { request, response } = delivery;
  return { status: 200, body: { ...presentDeliveryItem(delivery), request, response } };
}

function attemptDelivery(call: Call) {
  if (!call.redeliver(integer(call, "delivery_id"))) throw notFound();
  return { status: 202, body: {} };
}
