import {
  type ConstDirectiveNode,
  type DocumentNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
} from 'graphql';

/** Price of a field from the SDL: `@cost` and `@listSize` of the GraphQL cost specification. */
export interface Price {
  /** Cost of the field itself, whatever the number of objects. */
  readonly weight: number;
  /** Whether the SDL states the weight. */
  readonly isNamed: boolean;
  /** Number of objects, unless an argument states it. */
  readonly size: number;
  /** Arguments that state the number of objects. */
  readonly slicing: readonly string[];
  /** Fields of the answer that are lists of that size; if empty, the field itself is. */
  readonly sized: readonly string[];
}

/** Prices by type and field. */
export type PriceList = ReadonlyMap<string, ReadonlyMap<string, Price>>;

/** Assumed size of a list without `@listSize`. */
export const USUAL_LIST = 10;

const argument = (directive: ConstDirectiveNode | undefined, name: string) =>
  directive?.arguments?.find((each) => each.name.value === name)?.value;

const numberIn = (directive: ConstDirectiveNode | undefined, name: string): number | undefined => {
  const value = argument(directive, name);
  return value?.kind === Kind.INT ? Number(value.value) : undefined;
};

const textsIn = (directive: ConstDirectiveNode | undefined, name: string): readonly string[] => {
  const value = argument(directive, name);
  if (value?.kind !== Kind.LIST) return [];
  return value.values.flatMap((item) => (item.kind === Kind.STRING ? [item.value] : []));
};

const isList = (type: TypeNode): boolean =>
  type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));

const nameOf = (type: TypeNode): string => (type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type));

const leavesOf = ({ definitions }: DocumentNode): ReadonlySet<string> =>
  new Set([
    ...['Int', 'Float', 'String', 'Boolean', 'ID'],
    ...definitions.flatMap((each) =>
      each.kind === Kind.SCALAR_TYPE_DEFINITION || each.kind === Kind.ENUM_TYPE_DEFINITION ? [each.name.value] : [],
    ),
  ]);

const pricesOf = ({ fields = [] }: ObjectTypeDefinitionNode, leaves: ReadonlySet<string>): ReadonlyMap<string, Price> =>
  new Map(
    fields.map(({ name, type, directives = [] }) => {
      const named = (directive: string) => directives.find((each) => each.name.value === directive);
      const [cost, listSize] = [named('cost'), named('listSize')];
      const weight = numberIn(cost, 'weight');
      const sized = textsIn(listSize, 'sizedFields');
      const price: Price = {
        weight: weight ?? (leaves.has(nameOf(type)) ? 0 : 1),
        isNamed: weight !== undefined,
        size: numberIn(listSize, 'assumedSize') ?? (isList(type) ? USUAL_LIST : 1),
        slicing: textsIn(listSize, 'slicingArguments'),
        sized,
      };
      return [name.value, price] as const;
    }),
  );

/** Reads the prices from a supergraph, in which composition keeps both directives. */
export const readPriceList = (sdl: string): PriceList => {
  const document = parse(sdl, { noLocation: true });
  const leaves = leavesOf(document);
  return new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.OBJECT_TYPE_DEFINITION ? [[each.name.value, pricesOf(each, leaves)] as const] : [],
    ),
  );
};
