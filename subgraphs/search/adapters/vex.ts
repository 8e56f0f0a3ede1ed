import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { canonical, packagesOf, parsePurl, spelt, vulnerabilityKey } from '../importers/identifiers.ts';
import { lines, listed } from '../platform/phrases.ts';
import type { Adapter } from './adapter.ts';
import { instantOf, maybe, said } from './item-values.ts';

/** A statement of GET /api/v1/canonical, which no module has yet: what any host of it has to say at least. */
const statement = Compile(
  Type.Object({
    id: Type.String({ minLength: 1 }),
    vulnId: Type.String({ minLength: 1 }),
    aliases: maybe(Type.Array(Type.String())),
    products: maybe(Type.Array(Type.String())),
    status: Type.String({ minLength: 1 }),
    justification: maybe(Type.String()),
    statement: maybe(Type.String()),
    severity: maybe(Type.String()),
    issuedAt: maybe(Type.String()),
  }),
);

/** Whether products are affected by a vulnerability, as somebody states it. */
export const vex: Adapter = {
  name: 'vex',
  domain: 'vex',
  target: '/api/v1/canonical',
  chunkOf(item) {
    if (!statement.Check(item)) return undefined;
    const { id, vulnId, status, justification } = item;
    const aliases = (item.aliases ?? []).map(spelt);
    const products = item.products ?? [];
    const name = canonical(vulnId, aliases);
    const packages = packagesOf(products);
    const about = packages.length > 0 ? packages : products;
    const stands = status.replaceAll('_', ' ');
    return {
      domain: 'vex',
      source: 'vex',
      documentKey: id,
      part: 0,
      entityType: 'vulnerability',
      entityKey: vulnerabilityKey(name),
      title: `${name}: ${stands}${about.length === 0 ? '' : `, ${listed(about.slice(0, 3))}`}`,
      body: lines(
        `${about.length === 0 ? 'What it is about' : listed(about)}: ${stands} by ${name}.`,
        justification ? `Justification: ${justification.replaceAll('_', ' ')}.` : undefined,
        item.statement ?? undefined,
      ),
      identifiers: [name, spelt(vulnId), ...aliases, ...products],
      packages,
      ecosystem: parsePurl(products[0])?.ecosystem,
      occurredAt: instantOf(item.issuedAt),
      attributes: { status, ...(said(justification).length > 0 && { justification }) },
    };
  },
};
