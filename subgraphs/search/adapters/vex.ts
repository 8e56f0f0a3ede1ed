import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { canonicalId, normalizeId, packagesOf, parsePurl, vulnerabilityKey } from '../importers/identifiers.ts';
import { joinLines, joinWords } from '../platform/phrases.ts';
import type { Adapter } from './adapter.ts';
import { instantOf, listOf, nullish } from './item-values.ts';

/** Minimum fields of a statement of GET /api/v1/canonical, which no module serves yet. */
const statement = Compile(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    vulnId: Type.String({ minLength: 1 }),
    aliases: nullish(Type.Array(Type.String())),
    products: nullish(Type.Array(Type.String())),
    status: Type.String({ minLength: 1 }),
    justification: nullish(Type.String()),
    statement: nullish(Type.String()),
    severity: nullish(Type.String()),
    issuedAt: nullish(Type.String()),
  }),
);

export const vex: Adapter = {
  name: 'vex',
  domain: 'vex',
  target: '/api/v1/canonical',
  chunkOf(item) {
    if (!statement.Check(item)) return undefined;
    const { id, vulnId, status, justification } = item;
    const aliases = (item.aliases ?? []).map(normalizeId);
    const products = item.products ?? [];
    const name = canonicalId(vulnId, aliases);
    const packages = packagesOf(products);
    const about = packages.length > 0 ? packages : products;
    const state = status.replaceAll('_', ' ');
    return {
      domain: 'vex',
      source: 'vex',
      documentKey: id,
      part: 0,
      entityType: 'vulnerability',
      entityKey: vulnerabilityKey(name),
      title: `${name}: ${state}${about.length === 0 ? '' : `, ${joinWords(about.slice(0, 3))}`}`,
      body: joinLines(
        `${about.length === 0 ? 'What it is about' : joinWords(about)}: ${state} by ${name}.`,
        justification ? `Justification: ${justification.replaceAll('_', ' ')}.` : undefined,
        item.statement ?? undefined,
      ),
      identifiers: [name, normalizeId(vulnId), ...aliases, ...products],
      packages,
      ecosystem: parsePurl(products[0])?.ecosystem,
      occurredAt: instantOf(item.issuedAt),
      attributes: { status, ...(listOf(justification).length > 0 && { justification }) },
    };
  },
};
