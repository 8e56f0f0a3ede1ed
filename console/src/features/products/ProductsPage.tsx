import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type PortfolioRowFragment, ProductsDocument, type ProductsQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph.ts';
import { parseLabels } from '../../lib/label-text.ts';
import { hasScope } from '../../lib/session.ts';
import { usePageView } from '../../lib/url-state.ts';
import { Button } from '../../ui/Button.tsx';
import { ChipGroup, Filters } from '../../ui/Filters.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { ChoiceFilter } from './ChoiceFilter.tsx';
import { t } from './labels.ts';
import { Portfolio } from './Portfolio.tsx';
import { CreateProduct } from './ProductForm.tsx';
import styles from './Products.module.css';
import { byUrgency, needsPerson, PLACE_STATES, type PlaceState, placeStates } from './product-state.ts';

const route = getRouteApi('/products');

/** Products on a page: as many as the graph gives at once. */
const PAGE_SIZE = 200;

/** Types whose changes may change the page. */
const WATCHED = ['Product', 'Deployment', 'Promotion', 'Target', 'Environment'];

/** Portfolio: what runs of each product in each environment, those that need a person first. */
export function ProductsPage() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { owner, label, state, after, ask } = list.view;
  const labels = parseLabels(label ?? '') ?? [];
  const answer = useLiveQuery(
    ProductsDocument,
    { after: after ?? null, ownerGroup: owner ?? null, labels: labels.length > 0 ? labels : null },
    WATCHED,
    false,
  );
  const administers = hasScope('orch:admin');
  const create = () => list.set({ ask: 'create' });
  return (
    <>
      <PageHead
        title={t('products.title')}
        actions={
          administers
            ? [{ id: 'product.create', keys: 'c', title: t('product.create'), weight: 'primary', run: create }]
            : []
        }
      >
        {answer.data ? lead(answer.data.products, list.clear !== undefined) : t('products.lead')}
      </PageHead>
      <Filters clear={list.clear}>
        <ChipGroup
          value={state}
          options={PLACE_STATES}
          label={(one) => t(`place.state.${one}`)}
          choose={(next) => list.filterBy({ state: next })}
        />
        <ChoiceFilter
          label={t('products.filter.owner')}
          value={owner}
          options={choicesOf(answer.data, ({ ownerGroups }) => ownerGroups)}
          choose={(next) => list.filterBy({ owner: next })}
        />
        <ChoiceFilter
          label={t('products.filter.label')}
          value={label}
          options={choicesOf(answer.data, (product) => product.labels.map(({ name, value }) => `${name}=${value}`))}
          choose={(next) => list.filterBy({ label: next })}
        />
      </Filters>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={12} />} fault={t('products.fault')}>
        {({ products, environments }) => (
          <>
            <Rows
              products={products}
              environments={environments}
              state={state}
              clear={list.clear}
              create={administers ? create : undefined}
            />
            <Pages
              after={after}
              next={products.length === PAGE_SIZE ? products.at(-1)?.name : undefined}
              go={(next) => list.filterBy({ after: next })}
            />
          </>
        )}
      </QueryResult>
      {administers && ask === 'create' && <CreateProduct close={() => list.set({ ask: undefined })} />}
    </>
  );
}

type RowsProps = {
  readonly products: readonly PortfolioRowFragment[];
  readonly environments: ProductsQuery['environments'];
  readonly state: PlaceState | undefined;
  readonly clear: (() => void) | undefined;
  readonly create: (() => void) | undefined;
};

function Rows({ products, environments, state, clear, create }: RowsProps) {
  const rows = useMemo(() => byUrgency(products.filter((one) => hasState(one, state))), [products, state]);
  if (rows.length > 0) return <Portfolio products={rows} environments={environments} />;
  if (clear) return <EmptyState clear={clear}>{t('products.noMatch')}</EmptyState>;
  return (
    <EmptyState
      verb={
        <span className="row">
          {create && (
            <Button weight="primary" onClick={create}>
              {t('product.create')}
            </Button>
          )}
          <LinkButton to="/releases">{t('action.releases')}</LinkButton>
        </span>
      }
    >
      {t('products.empty')}
    </EmptyState>
  );
}

type PagesProps = {
  readonly after: string | undefined;
  readonly next: string | undefined;
  readonly go: (after: string | undefined) => void;
};

/** Pages by name, for a tenant with more products than one has. */
function Pages({ after, next, go }: PagesProps) {
  if (after === undefined && next === undefined) return null;
  return (
    <nav className={styles.pages} aria-label={t('pager.label')}>
      {after !== undefined && (
        <Button size="small" onClick={() => go(undefined)}>
          {t('products.page.first')}
        </Button>
      )}
      {next !== undefined && (
        <Button size="small" onClick={() => go(next)}>
          {t('products.page.next')}
        </Button>
      )}
    </nav>
  );
}

const hasState = ({ environments }: PortfolioRowFragment, state: PlaceState | undefined): boolean =>
  state === undefined || environments.some((place) => placeStates(place).includes(state));

/** Lead sentence: the number of products that need a person. */
function lead(products: readonly PortfolioRowFragment[], isFiltered: boolean): string {
  if (products.length === 0) return t('products.lead');
  const n = products.filter((one) => needsPerson(one)).length;
  return t(isFiltered ? 'products.lead.filtered' : 'products.lead.need', { n, of: products.length });
}

type Choice = ProductsQuery['choices'][number];

/** Values that any product has, sorted. */
const choicesOf = (data: ProductsQuery | undefined, values: (product: Choice) => readonly string[]): string[] =>
  [...new Set((data?.choices ?? []).flatMap((product) => values(product)))].toSorted();
