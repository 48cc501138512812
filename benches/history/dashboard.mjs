// Opens the dashboard of a large history in a browser, 10,000 commits of 200 benchmarks unless told
// otherwise: how long publishing takes, how large the pages are, how long the overview and the page of one
// benchmark take from the first byte until they are drawn, what the console says, what axe finds.
//
//   npm install --prefix benches/history
//   node benches/history/dashboard.mjs [--commits N] [--benchmarks N] [--pages DIR] [--screenshots DIR]
//
// --pages looks at a dashboard that was published already. The browser is $CHROMIUM, or the first of
// chromium, chromium-browser, google-chrome on the PATH. Times are of a browser that has the pages from a
// server on this machine and nothing in its cache; an overview above two seconds is a fault.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const MOST_MS = 2000;
const SERIOUS = ["serious", "critical"];
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".json": "application/json" };
const LOOKS = [
  { name: "light", viewport: { width: 1280, height: 1000 }, colorScheme: "light" },
  { name: "dark", viewport: { width: 1280, height: 1000 }, colorScheme: "dark" },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true },
];

const faults = [];

function check(is_true, what) {
  if (!is_true) faults.push(what);
}

function option(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
}

function browser_path() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // The next one may be there.
    }
  }
  throw new Error("no browser: name one in CHROMIUM");
}

function cargo(...given) {
  return execFileSync("cargo", ["run", "--release", "--quiet", ...given], { cwd: ROOT, encoding: "utf8" });
}

/** A dashboard of made-up measurements. */
function published(scratch) {
  const [store, pages] = [join(scratch, "store"), join(scratch, "pages")];
  const size = [option("commits", "10000"), option("benchmarks", "200")];
  process.stdout.write(cargo("-p", "bench-history", "--example", "scale", "--", ...size, store));
  cargo("-p", "bench-action", "--", "--version");
  const begun = performance.now();
  const said = cargo("-p", "bench-action", "--", "-C", scratch, "history", "publish", "--title", "kernels", "--dir", store, "--out", pages);
  console.log(`${said.trim()}\npublished in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  return pages;
}

/** Serves a directory; gives its address. */
async function served(directory) {
  const server = createServer((request, response) => {
    const path = join(directory, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
    try {
      response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
      response.end(readFileSync(path));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

/** Opens a page; what it says on the console is a fault, and so is asking elsewhere. */
async function opened(browser, address, look) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  page.on("console", (message) => faults.push(`${address} ${look.name}: console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`${address} ${look.name}: ${error.message}`));
  page.on("request", (request) => check(request.url().startsWith(new URL(address).protocol === "file:" ? "file:" : new URL(address).origin), `${address}: asks for ${request.url()}`));
  const begun = performance.now();
  await page.goto(address, { waitUntil: "load" });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  return { context, page, ms: performance.now() - begun };
}

async function median_of_five(browser, address) {
  const times = [];
  for (let i = 0; i < 5; i += 1) {
    const { context, ms } = await opened(browser, address, LOOKS[0]);
    times.push(ms);
    await context.close();
  }
  return times.sort((a, b) => a - b)[2];
}

async function looked_at(browser, address, name, screenshots) {
  for (const look of LOOKS) {
    const { context, page } = await opened(browser, address, look);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    check(!wide, `${name}, ${look.name}: wider than the screen`);
    // By its debugging protocol, which the page's policy does not bind.
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => (await axe.run()).violations);
    for (const fault of found) {
      const line = `${name}, ${look.name}: axe ${fault.impact}: ${fault.id}: ${fault.help} (${fault.nodes.length}, ${fault.nodes[0].html.slice(0, 120)})`;
      if (SERIOUS.includes(fault.impact)) faults.push(line);
      else console.log(line);
    }
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}-${look.name}.png`) });
    await context.close();
  }
}

/** The search finds by name, and the address keeps it. */
async function searched(browser, address) {
  const { context, page } = await opened(browser, address, LOOKS[0]);
  const shown = () => page.locator("tbody tr:visible").count();
  const all = await shown();
  const name = (await page.locator("tbody tr a").last().textContent()).trim();
  const begun = performance.now();
  await page.locator("input[type=search]").fill(name);
  const few = await shown();
  console.log(`search: ${few} of ${all} in ${(performance.now() - begun).toFixed(0)} ms`);
  check(few > 0 && (few < all || all < 2), "a name is found");
  await page.reload();
  check((await shown()) === few, "the address keeps the search");
  await context.close();
}

function size(directory, file) {
  const zipped = gzipSync(readFileSync(join(directory, file))).length;
  return `${(statSync(join(directory, file)).size / 1e6).toFixed(2)} MB (${(zipped / 1e6).toFixed(2)} MB zipped)`;
}

const scratch = mkdtempSync(join(tmpdir(), "dashboard-"));
const screenshots = option("screenshots", null);
if (screenshots) mkdirSync(screenshots, { recursive: true });
const browser = await chromium.launch({ executablePath: browser_path(), args: ["--no-sandbox", "--disable-background-networking"] });
const pages = option("pages", null) ?? published(scratch);
const { server, address } = await served(pages);
try {
  console.log(`browser ${browser.version()}`);
  const one = join("b", readdirSync(join(pages, "b")).sort()[0]);
  for (const [name, file] of [["overview", "index.html"], ["benchmark", one]]) {
    const ms = await median_of_five(browser, `${address}/${file}`);
    console.log(`${name}: ${size(pages, file)}, opened and drawn in ${ms.toFixed(0)} ms (median of 5)`);
    if (name === "overview") check(ms < MOST_MS, `the overview takes ${ms.toFixed(0)} ms, more than ${MOST_MS}`);
    const from_disk = await opened(browser, `file://${join(pages, file)}`, LOOKS[0]);
    console.log(`${name}: from the disk in ${from_disk.ms.toFixed(0)} ms`);
    await from_disk.context.close();
    await looked_at(browser, `${address}/${file}`, name, screenshots);
  }
  console.log(`data of one benchmark: ${size(pages, join("data", one.slice(2).replace(".html", ".js")))}, of the commits: ${size(pages, "data/commits.js")}`);
  await searched(browser, `${address}/index.html`);
} finally {
  await browser.close();
  server.close();
  rmSync(scratch, { recursive: true });
}
for (const fault of faults) console.error(`fault: ${fault}`);
console.log(faults.length === 0 ? "no fault" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
