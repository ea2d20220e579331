// Takes the pictures of docs/images: the main pages of a running demo, as a desktop and a phone show them.
//
//   node screenshots.mjs URL FOLDER
//
// Prints one line for each picture. BROWSER names the Chromium to use. Pictures are WebP of less than 60 kB each.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { browser } from "./browser.mjs";

const BYTES_MAX = 60_000;
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const [url, folder] = process.argv.slice(2);

const read = async (path) => (await fetch(`${url}${path}`, { headers: { Accept: "application/json" } })).json();
const first = async (path, field) => (await read(path)).items[0]?.[field];

/** The pages by the names of their pictures. */
async function pages() {
  const [track, agent, battle] = [
    await first("/build", "id"),
    await first("/api/v1/leaderboard", "agentId"),
    await first("/replays", "match_id"),
  ];
  const named = { track, agent, battle };
  for (const [name, id] of Object.entries(named)) if (!id) throw new Error(`the demo has no ${name}`);
  return {
    home: "/",
    track: `/build/${track}`,
    agent: `/agents/${agent}`,
    leaderboard: "/leaderboard",
    battle: `/replays/${battle}`,
    portal: "/portal",
    api: "/docs/",
  };
}

/** Opens an account and an agent, so that the portal has something to show. */
async function signIn(page) {
  const [email, password] = [`ada-${process.pid}@example.org`, "correct horse battery"];
  await page.goto(`${url}/portal/sign-up`);
  await page.locator("input[name=displayName]").fill("Ada");
  await page.locator("input[name=email]").fill(email);
  await page.locator("input[name=password]").fill(password);
  await page.locator("input[name=password]").press("Enter");
  await page.waitForURL(/sign-in/);
  await page.locator("input[name=email]").fill(email);
  await page.locator("input[name=password]").fill(password);
  await page.locator("input[name=password]").press("Enter");
  await page.waitForURL(/\/portal$/);
  await page.goto(`${url}/portal/agents/new`);
  await page.locator("input[name=name]").fill("Ada’s scout");
  await page.locator("input[name=model]").fill("claude-opus-4-8");
  await page.locator("input[name=model]").press("Enter");
  await page.locator("#key").waitFor();
}

/** The picture of what the window shows, with the best quality that stays small. */
async function picture(page) {
  // Without a frame of the new page, there is nothing to capture.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  const session = await page.context().newCDPSession(page);
  for (let quality = 85; quality >= 25; quality -= 10) {
    const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality });
    const bytes = Buffer.from(data, "base64");
    if (bytes.length < BYTES_MAX) {
      await session.detach();
      return bytes;
    }
  }
  throw new Error(`${page.url()} has no picture below ${BYTES_MAX} bytes`);
}

const context = await browser.newContext({ locale: "en", timezoneId: "UTC", colorScheme: "light", reducedMotion: "reduce" });
const page = await context.newPage();
page.setDefaultTimeout(30_000);
await signIn(page);
for (const [name, path] of Object.entries(await pages())) {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await page.goto(`${url}${path}`, { waitUntil: "load" });
    // The API reference is drawn by its script.
    if (name === "api") await page.waitForTimeout(1500);
    const bytes = await picture(page);
    await writeFile(join(folder, `${name}-${size}.webp`), bytes);
    console.log(`${name}-${size}.webp: ${bytes.length} bytes`);
  }
}
await browser.close();
