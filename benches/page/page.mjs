// Opens the HTML report of 500 and of 5,000 benchmarks in a browser: how large it is, how long it takes,
// whether it sorts, filters and opens by keyboard, what the console says, what axe finds.
//
//   npm install --prefix benches/page
//   node benches/page/page.mjs [--screenshots DIR]
//
// The browser is $CHROMIUM, or the first of chromium, chromium-browser, google-chrome on the PATH. Times are
// printed and not judged; everything else fails the script.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SERIOUS = ["serious", "critical"];
const LOOKS = [
  { name: "light", viewport: { width: 1280, height: 1000 }, colorScheme: "light" },
  { name: "dark", viewport: { width: 1280, height: 1000 }, colorScheme: "dark" },
  { name: "phone", viewport: { width: 390, height: 844 }, colorScheme: "light", isMobile: true },
];

const faults = [];

function check(is_true, what) {
  if (!is_true) faults.push(what);
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

function samples(directory) {
  execFileSync("cargo", ["run", "-q", "-p", "bench-render", "--example", "gallery", "--", directory], { stdio: "inherit" });
}

/** Opens a page; what it says on the console is a fault. */
async function opened(browser, file, look) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  page.on("console", (message) => faults.push(`${file} ${look.name}: console ${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`${file} ${look.name}: ${error.message}`));
  page.on("request", (request) => check(request.url().startsWith("file:"), `${file}: asks for ${request.url()}`));
  const begun = performance.now();
  await page.goto(`file://${file}`, { waitUntil: "load" });
  if (look.javaScriptEnabled !== false) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
  return { context, page, ms: performance.now() - begun };
}

const rows = (page) => page.evaluate(() =>
  [...document.querySelectorAll("#results tbody.entry:not([hidden])")].map((body) => body.rows[0].cells[1].querySelector("code").textContent));

async function median_of_five(browser, file) {
  const times = [];
  for (let i = 0; i < 5; i += 1) {
    const { context, ms } = await opened(browser, file, LOOKS[0]);
    times.push(ms);
    await context.close();
  }
  return times.sort((a, b) => a - b)[2];
}

/** Sorting, filtering and opening, all by keyboard. */
async function used(browser, file) {
  const { context, page } = await opened(browser, file, LOOKS[0]);
  const before = await rows(page);
  const head = page.locator("#results th", { hasText: "benchmark" });
  await head.locator("button").focus();
  await page.keyboard.press("Enter");
  const up = await rows(page);
  check((await head.getAttribute("aria-sort")) === "ascending", "the first press sorts upwards");
  check(up[0] <= up.at(-1) && up.join() !== before.join(), "names are sorted");
  await page.keyboard.press("Enter");
  check((await head.getAttribute("aria-sort")) === "descending", "the second press sorts downwards");
  await page.keyboard.press("Enter");
  check((await rows(page)).join() === before.join(), "the third press brings the order of the report back");
  await page.getByLabel("Filter by name").fill("parse lines");
  const found = await rows(page);
  check(found.length > 0 && found.length < before.length && found.every((name) => /parse.*lines/i.test(name)), "names are filtered");
  await page.getByRole("button", { name: /worse/ }).press("Space");
  const worse = await page.locator("#results tbody.entry:visible > tr.worse").count();
  check(worse > 0 && worse === (await rows(page)).length, "verdicts are filtered");
  check(/\d+ of \d+ shown/.test(await page.locator("#tools output").textContent()), "it says how many are shown");
  const summary = page.locator("#results tbody.entry:visible summary").first();
  await summary.focus();
  await page.keyboard.press("Enter");
  check(await page.locator("#results tbody.entry:visible .fig").first().isVisible(), "a name opens its pictures");
  await context.close();
}

/** Without a script, the same is there, in the order of the report. */
async function used_without_script(browser, file) {
  const { context, page } = await opened(browser, file, { ...LOOKS[0], name: "no script", javaScriptEnabled: false });
  check(!(await page.locator("#tools").isVisible()), "tools that need the script are not shown without it");
  await page.locator("#results summary").first().click();
  check(await page.locator("#results .fig").first().isVisible(), "pictures open without a script");
  await context.close();
}

async function looked_at(browser, file, screenshots) {
  for (const look of LOOKS) {
    const { context, page } = await opened(browser, file, look);
    await page.evaluate(() => [...document.querySelectorAll("#results details")].slice(0, 2).forEach((d) => { d.open = true; }));
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    check(!wide, `${look.name}: wider than the screen`);
    // By its debugging protocol, which the page's policy does not bind.
    await page.evaluate(AXE);
    const found = await page.evaluate(async () => (await axe.run()).violations);
    for (const fault of found) {
      const line = `${look.name}: axe ${fault.impact}: ${fault.id}: ${fault.help} (${fault.nodes.length}, ${fault.nodes[0].html.slice(0, 120)})`;
      if (SERIOUS.includes(fault.impact)) faults.push(line);
      else console.log(line);
    }
    if (screenshots) {
      await page.screenshot({ path: join(screenshots, `${look.name}.png`) });
      if (look.name === "light") await page.pdf({ path: join(screenshots, "print.pdf"), format: "A4" });
    }
    await context.close();
  }
}

const directory = mkdtempSync(join(tmpdir(), "page-"));
const wanted = process.argv.indexOf("--screenshots");
const screenshots = wanted < 0 ? null : process.argv[wanted + 1];
if (screenshots) mkdirSync(screenshots, { recursive: true });
samples(directory);
const browser = await chromium.launch({ executablePath: browser_path(), args: ["--no-sandbox"] });
try {
  console.log(`browser ${browser.version()}`);
  for (const name of ["suite-500", "suite-5000"]) {
    const file = join(directory, `${name}.html`);
    const zipped = gzipSync(readFileSync(file)).length;
    const ms = await median_of_five(browser, file);
    console.log(`${name}: ${(statSync(file).size / 1e6).toFixed(1)} MB (${(zipped / 1e6).toFixed(2)} MB zipped), opened and drawn in ${ms.toFixed(0)} ms (median of 5)`);
  }
  const file = join(directory, "suite-500.html");
  await used(browser, file);
  await used_without_script(browser, file);
  await looked_at(browser, file, screenshots);
  for (const name of ["eventful", "hostile", "unbuilt"]) {
    await looked_at(browser, join(directory, `${name}.html`), null);
  }
} finally {
  await browser.close();
  rmSync(directory, { recursive: true });
}
for (const fault of faults) console.error(`fault: ${fault}`);
console.log(faults.length === 0 ? "no fault" : `${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
