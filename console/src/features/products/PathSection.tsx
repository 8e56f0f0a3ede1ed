import { useMemo } from 'react';
import type {
  PathEnvironmentFragment,
  ProductInEnvironmentFragment,
  ProductPathFragment,
} from '../../generated/operations.ts';
import { useNow } from '../../lib/now.ts';
import { PathGraph } from '../../parts/PathGraph.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { EnvironmentLink } from '../../ui/EntityLink.tsx';
import { Link, PathLink } from '../../ui/Link.tsx';
import { EmptyState } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';
import { ProductState } from './ProductState.tsx';
import { draftOf } from './path-draft.ts';
import { directEdges } from './path-edges.ts';
import { conditionsOf } from './path-effect.ts';
import { actionPath, fromEntity } from './product-in-environment.ts';
import { StepConditions } from './StepConditions.tsx';

type PathSectionProps = {
  readonly product: ProductPathFragment;
  readonly environments: readonly PathEnvironmentFragment[];
};

/** Path of a product as a graph: what runs in each step, and on which conditions a release gets there. */
export function PathSection({ product, environments }: PathSectionProps) {
  const { hasOwnPath } = product;
  const { steps } = useMemo(() => draftOf(product), [product]);
  const edges = useMemo(() => directEdges(steps), [steps]);
  const names = new Map(environments.map(({ id, name }) => [id, name]));
  return (
    <Section title={t('path.title')} count={<Badge>{t(hasOwnPath ? 'path.own' : 'path.inOrder')}</Badge>} bare>
      {steps.length === 0 ? (
        <EmptyState verb={<Link to="/environments">{t('nav.environments')}</Link>}>
          {t('environments.empty')}
        </EmptyState>
      ) : (
        <PathGraph
          steps={steps.flatMap((step) => {
            const environment = environments.find(({ id }) => id === step.id);
            if (!environment) return [];
            const directlyAfter = edges.get(step.id) ?? [];
            const cellStates = product.environments.find((one) => one.environment.id === step.id);
            return [
              {
                id: step.id,
                after: directlyAfter,
                content: (
                  <>
                    <h3>
                      <EnvironmentLink environment={environment} />
                    </h3>
                    {cellStates && <StepState entity={cellStates} />}
                    <StepConditions
                      conditions={conditionsOf(step, environment)}
                      directlyAfter={directlyAfter}
                      names={names}
                    />
                  </>
                ),
              },
            ];
          })}
        />
      )}
    </Section>
  );
}

/** State of the product in a step, by a clock of its own: the graph around it is not drawn each second. */
function StepState({ entity }: { readonly entity: ProductInEnvironmentFragment }) {
  const product = fromEntity(entity);
  const path = actionPath(entity.product.id, product);
  return (
    <>
      <ProductState product={product} now={useNow()} />
      {path !== undefined && (
        <PathLink className="small" path={path} aria-label={t('path.open', { name: entity.environment.name })}>
          {t('target.open.short')}
        </PathLink>
      )}
    </>
  );
}
