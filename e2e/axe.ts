import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

/** What axe finds on the page as it stands; no rule is ever turned off. */
export const barriers = async (page: Page): Promise<string[]> => {
  const { violations } = await new AxeBuilder({ page }).withTags(TAGS).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id} ${target.join(' ')} ${html}`));
};
