// Reads workflows and actions as GitHub's own parser does, actions also against the published schema
// (its copy for workflows does not know every permission; four other linters read those). Prints what
// is wrong, a line each, and exits with 1 if anything is. Lies beside its node_modules.
import { readFile } from "node:fs/promises";
import { register } from "node:module";
import { basename } from "node:path";

// The parser imports JSON as older versions of node allowed it.
const load = `
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
export async function load(url, context, next) {
  if (!url.endsWith(".json")) return next(url, context);
  const source = "export default " + (await readFile(fileURLToPath(url), "utf8"));
  return { format: "module", shortCircuit: true, source };
}`;
register("data:text/javascript," + encodeURIComponent(load), import.meta.url);

const github = await import("@actions/workflow-parser");
const { parseAction } = await import("@actions/workflow-parser/actions/index");
const { default: schema } = await import("@action-validator/core");

/** What GitHub's parser says of an action. */
function action(file) {
  const { context } = parseAction(file, new github.NoOperationTraceWriter());
  return context.errors.getErrors().map((error) => error.message);
}

/** What GitHub's parser says of a workflow, its jobs and their steps. */
async function workflow(file) {
  const { context, value } = github.parseWorkflow(file, new github.NoOperationTraceWriter());
  const template = value && (await github.convertWorkflowTemplate(context, value));
  const converted = (template?.errors ?? []).map((error) => error.Message);
  const parsed = context.errors.getErrors().map((error) => error.message);
  return [...new Set([...parsed, ...converted])];
}

let found = 0;
for (const name of process.argv.slice(2)) {
  const content = await readFile(name, "utf8");
  const isAction = /^action\.ya?ml$/.test(basename(name));
  const parsed = isAction ? action({ name, content }) : await workflow({ name, content });
  const errors = isAction ? schema.validateAction(content).errors : [];
  const against = errors.map(({ path, title, detail }) =>
    `${name}: ${path ?? ""}: ${title}${detail ? `: ${detail}` : ""}`);
  for (const line of [...parsed, ...against]) {
    console.log(line);
    found += 1;
  }
}
process.exitCode = found > 0 ? 1 : 0;
