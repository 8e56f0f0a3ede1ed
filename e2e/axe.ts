import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';
import Type from 'typebox';
import { Parse } from 'typebox/value';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** The rules that read colours. Another theme changes nothing else of a page, so that the others need not read it again. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

const AXE = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** A selector, or one for each shadow root on the way to the node. */
const target = Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]));
const violations = Type.Array(
  Type.Object({ id: Type.String(), nodes: Type.Array(Type.Object({ target, html: Type.String() })) }),
);

/**
 * Runs axe in the page. It is loaded once for each document and describes only violations: describing what passes
 * would take longer than the rules themselves.
 */
const run = async (page: Page, runOnly: { readonly type: 'tag' | 'rule'; readonly values: readonly string[] }) => {
  assert.equal(page.frames().length, 1, 'axe runs in the main frame only');
  if (!(await page.evaluate("typeof axe === 'object'"))) await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const found: unknown = await page.evaluate(`axe.run(document, ${options}).then(({ violations }) => violations)`);
  return Parse(violations, found).flatMap(({ id, nodes }) =>
    nodes.map(({ target, html }) => `${id} ${target.join(' ')} ${html}`),
  );
};

/** Accessibility violations of the page; no rule is turned off. */
export const barriers = (page: Page): Promise<string[]> => run(page, { type: 'tag', values: TAGS });

/** Accessibility violations in the dark theme that the light one does not have. */
export const barriersInTheDark = async (page: Page): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: 'dark' });
  // The background fades from the light to the dark colour, while the text changes at once.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished)).then(() => undefined)',
  );
  return run(page, { type: 'rule', values: COLOUR_RULES });
};

const WIDTHS = [320, 390, 768, 1024, 1440];

/** Accessibility violations, and the widths at which the page scrolls sideways. */
export const faults = async (page: Page, widths: readonly number[] = WIDTHS): Promise<string[]> => {
  const found = await barriers(page);
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    // Tables become lists once the page has noticed its width, which takes it two frames.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    const over = await page.locator('html').evaluate((root) => root.scrollWidth - root.clientWidth);
    if (over > 0) found.push(`${width}: ${over} px too wide`);
  }
  return found;
};
