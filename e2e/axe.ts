import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** The rules that read colours. Another theme changes nothing else of a page, so that the others need not read it again. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

const found = async (axe: AxeBuilder): Promise<string[]> => {
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id} ${target.join(' ')} ${html}`));
};

/** Without the blank page that each analysis would open for frames of other origins: no page of ours has any. */
const axeOf = (page: Page): AxeBuilder => new AxeBuilder({ page }).setLegacyMode();

/** Accessibility violations of the page; no rule is turned off. */
export const barriers = (page: Page): Promise<string[]> => found(axeOf(page).withTags(TAGS));

/** Accessibility violations in the dark theme that the light one does not have. */
export const barriersInTheDark = async (page: Page): Promise<string[]> => {
  await page.emulateMedia({ colorScheme: 'dark' });
  return found(axeOf(page).withRules(COLOUR_RULES));
};
