/**
 * The settings section of README.md, made from the table that the settings are read by.
 *
 *   node gateway/cli/settings-section.ts            writes it
 *   node gateway/cli/settings-section.ts --check    fails when it is stale
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsMarkdown } from '@landfall/kernel/system/settings';
import { finish, type Outcome, scriptOptions } from '@landfall/schema/output.ts';
import { gatewaySettings } from '../settings/settings.ts';

const SECTION = /(<!-- settings -->\n).*?(<!-- \/settings -->)/s;

/** Returns README.md with an updated settings section. */
export const readme = (root: string): Outcome => {
  const present = readFileSync(join(root, 'README.md'), 'utf8');
  if (!SECTION.test(present)) return { files: new Map(), problems: ['README.md has no settings section'] };
  const text = present.replace(SECTION, (_, begin, end) => `${begin}${settingsMarkdown(gatewaySettings)}${end}`);
  return { files: new Map([['README.md', text]]), problems: [] };
};

if (import.meta.main) {
  const { root, check } = scriptOptions();
  finish(root, readme(root), check);
}
