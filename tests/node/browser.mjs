// What the browser tests share: Chromium (BROWSER names it), one line of JSON for each step, and the inspection of a page.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

export const browser = await chromium.launch({
  executablePath: process.env.BROWSER,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});

/** Prints a step and what was found in it. */
export const say = (step, found) => console.log(JSON.stringify({ step, ...found }));

/** What axe-core finds on a page, and what is wider than the window, in light and dark, at two widths. Pictures go to the folder, if given. */
export async function inspect(page, name, folder) {
  const findings = [];
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      // By the debugger, because the page's own policy admits no script of others.
      await page.evaluate(axe);
      const { violations } = await page.evaluate((tags) => window.axe.run({ runOnly: tags }), TAGS);
      for (const { id, nodes } of violations) findings.push(`${name} ${colorScheme} ${width}: ${id} ${nodes[0].html}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) findings.push(`${name} ${width}: ${wide} pixels wide`);
      if (folder) await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 844 });
  return findings;
}
