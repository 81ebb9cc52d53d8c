import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";

export type Json = Record<string, unknown>;

interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  schema: Json;
}

type Content = Record<string, { schema?: Json }>;

interface DescribedOperation {
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content } | { $ref: string }>;
}

interface Description {
  paths: Record<string, Record<string, DescribedOperation>>;
  "x-webhooks": Record<string, { post: DescribedOperation }>;
  components: { schemas: Record<string, Json>; examples: Record<string, { value: unknown }> };
}

/** What a request asks, with its parameters in the types of the description. */
export interface CheckedRequest {
  parameters: Record<string, string | number | boolean>;
  problems: string[];
}

let loaded: Description | null = null;

/** GitHub's description of its API: read at the first call only, since it has 12 MB. */
function description(): Description {
  const path = createRequire(import.meta.url).resolve("@octokit/openapi/generated/api.github.com.json");
  loaded ??= JSON.parse(readFileSync(path, "utf8")) as Description;
  return loaded;
}

/** A copy of one of the examples of the description. */
export function exampleOf(name: string): Json {
  const example = description().components.examples[name];
  if (example === undefined) throw new Error(`GitHub's description has no example ${name}`);
  return structuredClone(example.value) as Json;
}

/**
 * Checks path, query and body of a request against the operation, `"GET /app"`. Query parameters and, on the first
 * level of the body, properties that the operation does not name are problems too: GitHub would ignore them.
 */
export function checkRequest(
  operation: string,
  path: Record<string, string>,
  query: URLSearchParams,
  body: unknown,
): CheckedRequest {
  const described = operationOf(operation);
  const known = (described.parameters ?? []).map((parameter) => dereference<Parameter>(parameter));
  const parameters: CheckedRequest["parameters"] = {};
  const problems = [...query.keys()]
    .filter((name) => !known.some((parameter) => parameter.in === "query" && parameter.name === name))
    .map((name) => `query parameter ${name} is not known`);
  for (const parameter of known) {
    const text = parameter.in === "path" ? path[parameter.name] : query.get(parameter.name);
    const value = text == null ? parameter.schema.default : coerce(parameter.schema, text);
    if (value === undefined) {
      if (parameter.required === true) problems.push(`${parameter.in} parameter ${parameter.name} is missing`);
      continue;
    }
    const key = `${operation} ${parameter.in} ${parameter.name}`;
    problems.push(...check(key, parameter.schema, value).map((problem) => `${parameter.name}${problem}`));
    parameters[parameter.name] = value as string | number | boolean;
  }
  return { parameters, problems: [...problems, ...checkBody(operation, described, body)] };
}

function checkBody(operation: string, described: DescribedOperation, body: unknown): string[] {
  const schema = described.requestBody?.content["application/json"]?.schema;
  if (body === undefined) return described.requestBody?.required === true ? ["the body is missing"] : [];
  if (schema === undefined) return ["no body is taken"];
  const names = propertiesOf(schema);
  const unknown = Object.keys(body ?? {}).filter((name) => Array.isArray(body) || !names.includes(name));
  return [
    ...unknown.map((name) => `body/${name} is not known`),
    ...check(`${operation} body`, schema, body).map((problem) => `body${problem}`),
  ];
}

/**
 * Statuses that any operation may have although the description names them for some only, with their schemas.
 * https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
 */
const anywhere: Record<number, string> = {
  401: "basic-error",
  403: "basic-error",
  404: "basic-error",
  422: "validation-error",
};

/** What is wrong with an answer to the operation; `body` is undefined where there is none. */
export function checkResponse(operation: string, status: number, body: unknown): string[] {
  const answer = operationOf(operation).responses[status];
  const general = anywhere[status];
  if (answer === undefined && general === undefined) return [`status ${status} is not known`];
  const schema =
    answer === undefined
      ? { $ref: `#/components/schemas/${general}` }
      : dereference<{ content?: Content }>(answer).content?.["application/json"]?.schema;
  if (schema === undefined) return body === undefined ? [] : [`a ${status} has no body`];
  return check(`${operation} ${status}`, schema, body).map((problem) => `answer ${status}${problem}`);
}

/** What is wrong with the payload of a webhook. */
export function checkWebhook(event: string, action: string, payload: Json): string[] {
  const name = `${event.replaceAll("_", "-")}-${action}`;
  const schema = description()["x-webhooks"][name]?.post.requestBody?.content["application/json"]?.schema;
  if (schema === undefined) return [`webhook ${name} is not known`];
  return check(`webhook ${name}`, schema, payload).map((problem) => `webhook ${name}${problem}`);
}

function operationOf(operation: string): DescribedOperation {
  const [method = "", path = ""] = operation.split(" ");
  const described = description().paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`GitHub's description has no ${operation}`);
  return described;
}

function dereference<T extends object>(value: T | { $ref: string }): T {
  return "$ref" in value && typeof value.$ref === "string" ? (resolve(value.$ref) as T) : (value as T);
}

/** The part of the description at a reference such as `#/components/schemas/issue`. */
function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split("/")
    .reduce<unknown>((whole, key) => (whole as Json)[key], description());
}

function propertiesOf(schema: Json): string[] {
  if (typeof schema.$ref === "string") return propertiesOf(resolve(schema.$ref) as Json);
  const parts = ["anyOf", "oneOf", "allOf"].flatMap((key) => (schema[key] ?? []) as Json[]);
  return [...Object.keys(schema.properties ?? {}), ...parts.flatMap(propertiesOf)];
}

/** Text of a path or query in the type that the schema wants, or as it is where it has another. */
function coerce(schema: Json, text: string): string | number | boolean {
  if (schema.type === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (schema.type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  return text;
}

const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true });
formats.default(ajv);
for (const format of ["repo.nwo", "timestamp"]) ajv.addFormat(format, true);

const compiled = new Map<string, ValidateFunction>();

/** Problems of a value, each beginning with the place in it; `key` names the schema, which is compiled once. */
function check(key: string, schema: Json, value: unknown): string[] {
  let validate = compiled.get(key);
  if (validate === undefined) {
    addReferred(schema);
    validate = ajv.compile(toJsonSchema(schema));
    compiled.set(key, validate);
  }
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Makes the components known that a schema refers to, and those that they refer to. */
function addReferred(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  if ("$ref" in schema && typeof schema.$ref === "string") {
    const id = idOf(schema.$ref);
    if (ajv.schemas[id] !== undefined) return;
    const component = resolve(schema.$ref) as Json;
    ajv.addSchema(toJsonSchema(component), id);
    addReferred(component);
  } else for (const part of Object.values(schema)) addReferred(part);
}

function idOf(reference: string): string {
  return reference.replace("#/components/schemas/", "component:");
}

/** OpenAPI 3.0's schema in JSON Schema's words: `nullable` is a type of its own; what checks nothing is left out. */
function toJsonSchema(schema: Json): Json {
  if (typeof schema.$ref === "string") return { $ref: idOf(schema.$ref) };
  const converted = Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !unchecked.has(key) && !key.startsWith("x-"))
      .map(([key, value]) => [isEitherAccount(key, value) ? "anyOf" : key, convertKeyword(key, value)]),
  );
  return schema.nullable === true ? { anyOf: [{ type: "null" }, converted] } : converted;
}

/** The account of an installation is said to be a user and an enterprise at once in one place; elsewhere, either. */
function isEitherAccount(key: string, value: unknown): boolean {
  return key === "allOf" && (value as Json[]).map(({ title }) => title).join() === "Simple User,Enterprise";
}

const unchecked = new Set(
  "nullable example examples description title default discriminator readOnly writeOnly deprecated externalDocs".split(
    " ",
  ),
);

function convertKeyword(key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (key === "properties" || key === "patternProperties") {
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, toJsonSchema(schema as Json)]));
  }
  if (["anyOf", "oneOf", "allOf"].includes(key)) return (value as Json[]).map(toJsonSchema);
  return ["items", "not", "additionalProperties"].includes(key) ? toJsonSchema(value as Json) : value;
}
