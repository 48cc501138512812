// Holds recorded traffic against GitHub's description of its API. Prints what does not fit, a line
// each, and last how much was looked at; exits with 1 if anything does not fit.
//
//   node check.mjs DESCRIPTION RECORDING…
//
// A recording has a line for each exchange: { method, path, query, body, status, type, answer }, where
// body and answer are texts, and status is null where the connection was dropped.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { default: Ajv } = require("ajv");
const { default: addFormats } = require("ajv-formats");

/** JSON schema has no `nullable`: what may be null says so by its type, by its list, or by a choice. */
function plain(node) {
  if (Array.isArray(node)) return node.map(plain);
  if (node === null || typeof node !== "object") return node;
  const { nullable, ...rest } = node;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plain(value)]));
  if (nullable !== true) return nullable === undefined ? schema : { ...schema, nullable: plain(nullable) };
  return { anyOf: [{ type: "null" }, schema] };
}

/** Checks of one kind: texts from an address are read as the numbers they stand for. */
function checker(description, options) {
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, ...options });
  addFormats(ajv);
  ajv.addSchema({ $id: "github", components: description.components });
  const known = new Map();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    if (!known.has(key)) {
      known.set(key, ajv.compile(JSON.parse(key.replaceAll('"#/components/', '"github#/components/'))));
    }
    const validate = known.get(key);
    if (validate(value)) return [];
    // Beside the branch that fails, a choice also reports that none of its branches fits.
    const errors = validate.errors.filter(({ keyword }) => !["anyOf", "oneOf"].includes(keyword));
    const shown = errors.length > 0 ? errors : validate.errors;
    return shown.map(({ instancePath, message }) => `${instancePath || "/"} ${message}`);
  };
}

class Description {
  constructor(text) {
    this.description = plain(JSON.parse(text));
    this.check = checker(this.description, {});
    this.checkText = checker(this.description, { coerceTypes: "array" });
    const names = Object.keys(this.description.paths);
    // What has more fixed parts is tried first.
    const fixed = (name) => name.split("/").filter((part) => !part.startsWith("{")).length;
    this.paths = names.sort((a, b) => fixed(b) - fixed(a)).map((name) => {
      const parts = [];
      const pattern = name.replace(/[.]/g, "\\.").replace(/\{([^}]+)\}/g, (_, part) => {
        parts.push(part);
        return "([^/]+)";
      });
      return { name, parts, pattern: new RegExp(`^${pattern}$`) };
    });
  }

  resolve(node) {
    if (node?.$ref === undefined) return node;
    const [, ...parts] = node.$ref.split("/");
    return parts.reduce((value, part) => value[part], this.description);
  }

  /** The operation that a request is for, with the values in its path. */
  operation(method, path) {
    for (const { name, parts, pattern } of this.paths) {
      const operation = this.description.paths[name][method.toLowerCase()];
      const values = operation && pattern.exec(path);
      if (values) {
        const pairs = parts.map((part, at) => [part, decodeURIComponent(values[at + 1])]);
        return { name, shared: this.description.paths[name].parameters ?? [], operation, inPath: Object.fromEntries(pairs) };
      }
    }
    return undefined;
  }

  /** What does not fit in a request. */
  request({ query, body }, { shared, operation, inPath }) {
    const parameters = [...shared, ...(operation.parameters ?? [])].map((one) => this.resolve(one));
    const found = [];
    for (const [place, given] of [["path", inPath], ["query", query]]) {
      const known = parameters.filter((parameter) => parameter.in === place);
      for (const name of Object.keys(given)) {
        const parameter = known.find((one) => one.name === name);
        if (parameter === undefined) found.push(`${place} ${name}: not described`);
        else {
          const wrapped = { type: "object", properties: { value: parameter.schema } };
          const wrong = this.checkText(wrapped, { value: given[name] });
          found.push(...wrong.map((what) => `${place} ${name}: ${what}`));
        }
      }
      const missing = known.filter((parameter) => parameter.required && !(parameter.name in given));
      found.push(...missing.map((parameter) => `${place} ${parameter.name}: missing`));
    }
    return [...found, ...this.body(body, this.resolve(operation.requestBody))];
  }

  body(text, described) {
    const schema = described?.content?.["application/json"]?.schema;
    if (schema === undefined) return text === "" ? [] : ["body: not described"];
    if (text === "") return described.required ? ["body: missing"] : [];
    const value = JSON.parse(text);
    const names = Object.keys(this.resolve(schema).properties ?? {});
    const unknown = names.length === 0 ? [] : Object.keys(value).filter((name) => !names.includes(name));
    const wrong = this.check(schema, value).map((what) => `body: ${what}`);
    return [...wrong, ...unknown.map((name) => `body: /${name} not described`)];
  }

  /** What does not fit in an answer. One from a machine in front of GitHub is nobody's to describe. */
  answer({ status, type, answer }, { operation }) {
    if (status === null || status >= 500 || type === "text/html") return [];
    const described = this.resolve(operation.responses[status]);
    // GitHub answers with 401, 403, 404 and 429 wherever it wants to.
    if (described === undefined) return status < 400 ? [`answer ${status}: not described`] : [];
    const schema = described.content?.["application/json"]?.schema;
    if (schema === undefined) return answer === "" ? [] : [`answer ${status}: should be empty`];
    const value = JSON.parse(answer);
    const wrong = [...this.check(schema, value), ...this.undescribed([schema], value, "")];
    return wrong.map((what) => `answer ${status}: ${what}`);
  }

  /** Fields that GitHub would not send. What a schema leaves open may hold anything. */
  undescribed(schemas, value, at) {
    const all = schemas.flatMap((schema) => this.ways(schema));
    if (Array.isArray(value)) {
      const items = all.flatMap((schema) => schema.items ?? []);
      return value.flatMap((item) => this.undescribed(items, item, `${at}/*`));
    }
    const open = all.some(({ properties, additionalProperties }) => !properties || additionalProperties);
    if (value === null || typeof value !== "object" || open) return [];
    return Object.keys(value).flatMap((name) => {
      const known = all.flatMap(({ properties }) => properties[name] ?? []);
      if (known.length === 0) return [`${at}/${name} not described`];
      return this.undescribed(known, value[name], `${at}/${name}`);
    });
  }

  /** The schema, or what it chooses from, as far as it is about objects and lists. */
  ways(schema) {
    const { allOf = [], anyOf = [], oneOf = [], ...rest } = this.resolve(schema);
    const choices = [...allOf, ...anyOf, ...oneOf].flatMap((choice) => this.ways(choice));
    const own = rest.properties || rest.items || choices.length === 0 ? [rest] : [];
    return [...own, ...choices].filter(({ type }) => type === undefined || ["object", "array"].includes(type));
  }
}

/** The path as the description has it: an Enterprise Server's begins elsewhere, and the address of a
 * next page names the repository by its number. */
function described(path) {
  return path.replace(/^\/api\/v3(?=\/)/, "").replace(/^\/repositories\/\d+\//, "/repos/owner/name/");
}

const [name, ...recordings] = process.argv.slice(2);
const github = new Description(await readFile(name, "utf8"));
const found = new Set();
const seen = new Set();
let exchanges = 0;
for (const recording of recordings) {
  for (const line of (await readFile(recording, "utf8")).split("\n").filter(Boolean)) {
    const exchange = JSON.parse(line);
    // Not part of the description.
    if (/^(\/api)?\/graphql$/.test(exchange.path)) continue;
    const operation = github.operation(exchange.method, described(exchange.path));
    const title = `${exchange.method} ${operation?.name ?? exchange.path}`;
    exchanges += 1;
    if (operation === undefined) {
      found.add(`${title}: not described`);
      continue;
    }
    seen.add(title);
    for (const what of [...github.request(exchange, operation), ...github.answer(exchange, operation)]) found.add(`${title}: ${what}`);
  }
}
for (const line of [...found].sort()) console.log(line);
console.log(`${exchanges} exchanges with ${seen.size} operations looked at`);
process.exitCode = found.size > 0 ? 1 : 0;
