import type { KnowledgeChunk } from '@landfall/kernel/module';
import type { Check } from '@landfall/kernel/operator/check';

/** Builds the search chunk of a check of `landfall doctor`. */
export const checkChunk = ({ id, title, meaning, remedy }: Omit<Check, 'inspect'>): KnowledgeChunk => ({
  domain: 'knowledge',
  source: 'doctor',
  documentKey: id,
  part: 0,
  entityType: 'check',
  entityKey: `check:${id}`,
  title: `${title} (landfall doctor: ${id})`,
  body: `${meaning}\n\nWhat to do: ${remedy}\n\nRun \`npm run landfall -- doctor\` to have it looked at.`,
  identifiers: [id, `doctor:${id}`],
  packages: [],
  attributes: { remedy },
});
