import { Fault, type FieldFault, invalid } from '@landfall/kernel/core/fault';
import { firstNames } from '../../shared/first-names.ts';
import type { DeclaredComponent, Product } from './products.store.ts';

interface DeploymentOptions {
  readonly name: string;
  readonly repository: string;
}

/** Message that a product does not declare a component. */
export const undeclaredMessage = ({ name }: Pick<Product, 'name'>, components: readonly DeclaredComponent[]): string =>
  components.length === 0
    ? `is not a component of ${name}, which has no components`
    : `is not a component of ${name}, which has ${components.map((each) => each.name).join(', ')}`;

/** Refuses to change a removed product: it is kept for its releases and deployments only. */
export const removedRefusal = ({
  id,
  name,
  removedAt,
}: Pick<Product, 'id' | 'name' | 'removedAt'>): Fault | undefined =>
  removedAt === null ? undefined : new Fault('RES_NOT_FOUND', `The product ${name} was removed.`, { id });

/** Refuses components of a release that its product does not declare, or declares with another repository. */
export const componentsRefusal = (
  { name, components }: Pick<Product, 'name' | 'components'>,
  input: readonly { readonly field: string; readonly component: DeploymentOptions }[],
): Fault | undefined => {
  if (components === null) return undefined;
  const [first, ...others] = input.flatMap(({ field, component }): FieldFault[] => {
    const declared = components.find((each) => each.name === component.name);
    if (!declared)
      return [
        {
          field: `${field}.name`,
          message: undeclaredMessage({ name }, components),
          code: 'VAL_INVALID_VALUE',
        },
      ];
    return declared.repository === component.repository
      ? []
      : [{ field: `${field}.repository`, message: `is ${declared.repository} in ${name}`, code: 'VAL_INVALID_VALUE' }];
  });
  return first && invalid([first, ...others]);
};

/** Lists the required components of a product that a release lacks. */
export const missingComponents = (
  { components }: Pick<Product, 'components'>,
  present: readonly { readonly name: string }[],
): DeclaredComponent[] =>
  (components ?? []).filter(({ name, required }) => required && !present.some((each) => each.name === name));

/** Refuses to remove a product while targets belong to it, or are reserved for it. */
export const removeRefusal = (
  { name }: Pick<Product, 'name'>,
  targets: readonly { readonly targetId: string; readonly name: string }[],
): Fault | undefined =>
  targets.length === 0
    ? undefined
    : new Fault(
        'RES_CONFLICT',
        `Targets belong to ${name}: ${firstNames(targets.map((target) => target.name))}. Remove them, or give them to another product, first.`,
        { targets: targets.map(({ targetId, name: target }) => ({ id: targetId, name: target })) },
      );
