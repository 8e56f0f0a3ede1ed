import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLSchema,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** Modules that serve a type, or a field as `Type.field`, by themselves. */
type Owners = ReadonlyMap<string, ReadonlySet<string>>;

const NOBODY: ReadonlySet<string> = new Set();

const named = (directives: readonly ConstDirectiveNode[] | undefined, name: string) =>
  (directives ?? []).filter((each) => each.name.value === name);

const argument = (directive: ConstDirectiveNode, name: string) =>
  directive.arguments?.find((each) => each.name.value === name)?.value;

/** Values of `join__Graph`, by which the directives name the modules. */
const graphNames = (definitions: readonly DefinitionNode[]): ReadonlyMap<string, string> =>
  new Map(
    definitions
      .flatMap((each) =>
        each.kind === Kind.ENUM_TYPE_DEFINITION && each.name.value === 'join__Graph' ? each.values : [],
      )
      .flatMap((value) =>
        named(value?.directives, 'join__graph').flatMap((graph) => {
          const name = argument(graph, 'name');
          return value && name?.kind === Kind.STRING ? [[value.name.value, name.value] as const] : [];
        }),
      ),
  );

/** Arguments of `join__field` and `join__type` with which a module serves something only in part or for others. */
const PARTIAL = ['external', 'usedOverridden', 'overrideLabel', 'requires', 'isInterfaceObject'];

/** Reads from a supergraph which modules serve each type and field. */
export const readOwners = (sdl: string): Owners => {
  const { definitions } = parse(sdl, { noLocation: true });
  const names = graphNames(definitions);
  const modulesOf = (directives: readonly ConstDirectiveNode[]): ReadonlySet<string> =>
    new Set(
      directives
        .filter((each) => PARTIAL.every((name) => argument(each, name) === undefined))
        .flatMap((each) => {
          const graph = argument(each, 'graph');
          return graph?.kind === Kind.ENUM ? [names.get(graph.value) ?? graph.value] : [];
        }),
    );
  return new Map(
    definitions.flatMap((each) => {
      if (each.kind !== Kind.OBJECT_TYPE_DEFINITION && each.kind !== Kind.INTERFACE_TYPE_DEFINITION) return [];
      const ofType = modulesOf(named(each.directives, 'join__type'));
      return [
        [each.name.value, ofType] as const,
        ...(each.fields ?? []).map(({ name, directives }) => {
          const joined = named(directives, 'join__field');
          return [`${each.name.value}.${name.value}`, joined.length === 0 ? ofType : modulesOf(joined)] as const;
        }),
      ];
    }),
  );
};

/** Finds a module that serves every field of a document, or undefined where the planner has to divide it. */
export const onlyOwner = (owners: Owners, schema: GraphQLSchema, document: DocumentNode): string | undefined => {
  const types = new TypeInfo(schema);
  let common: ReadonlySet<string> | undefined;
  const narrow = (names: ReadonlySet<string> = NOBODY): void => {
    common = common?.intersection(names) ?? names;
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      Field: ({ name }) => {
        const parent = types.getParentType()?.name ?? '';
        narrow(owners.get(name.value === '__typename' ? parent : `${parent}.${name.value}`));
      },
      InlineFragment: () => narrow(owners.get(types.getType()?.toString() ?? '')),
      FragmentDefinition: () => narrow(owners.get(types.getType()?.toString() ?? '')),
    }),
  );
  return common?.values().next().value;
};
