import { getRouteApi } from '@tanstack/react-router';
import { PortfolioDocument, type PortfolioQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { formatLabels, parseLabels } from '../../lib/label-text.ts';
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
import { PRODUCT_STATES } from './product-in-environment.ts';

const route = getRouteApi('/products');

/** Products on a page, as its query asks for them. */
const PAGE_SIZE = 200;

/** Types whose changes may change the page. */
const WATCHED_TYPES = ['Product', 'Deployment', 'Promotion', 'Target', 'Environment', 'Agent'];

/** Portfolio: what runs of each product in each environment, those that need a person first. */
export function ProductsPage() {
  const list = usePageView(route.useSearch(), route.useNavigate());
  const { owner, label, state, after = 0, ask } = list.view;
  const labels = parseLabels(label ?? '') ?? [];
  const answer = useLiveQuery(
    PortfolioDocument,
    {
      ownerGroup: owner ?? null,
      labels: labels.length > 0 ? labels : null,
      state: state ?? null,
      skip: after,
    },
    WATCHED_TYPES,
    false,
  );
  const portfolio = answer.data?.portfolio;
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
        {portfolio ? lead(portfolio, list.clear !== undefined) : t('products.lead')}
      </PageHead>
      <Filters clear={list.clear}>
        <ChipGroup
          value={state}
          options={PRODUCT_STATES}
          label={(one) => t(`state.${one}`)}
          choose={(next) => list.filterBy({ state: next })}
        />
        <ChoiceFilter
          label={t('products.filter.owner')}
          value={owner}
          options={portfolio?.ownerGroups ?? []}
          choose={(next) => list.filterBy({ owner: next })}
        />
        <ChoiceFilter
          label={t('products.filter.label')}
          value={label}
          options={portfolio?.labels.map((one) => formatLabels([one])) ?? []}
          choose={(next) => list.filterBy({ label: next })}
        />
      </Filters>
      <QueryResult of={answer} skeleton={<SkeletonRows rows={12} />} fault={t('products.fault')}>
        {(data) => (
          <>
            <Rows
              portfolio={data.portfolio}
              isFirstPage={after === 0}
              clear={list.clear}
              create={administers ? create : undefined}
            />
            <Pages
              after={after}
              count={data.portfolio.productCount}
              go={(next) => list.filterBy({ after: next || undefined })}
            />
          </>
        )}
      </QueryResult>
      {administers && ask === 'create' && <CreateProduct close={() => list.set({ ask: undefined })} />}
    </>
  );
}

type RowsProps = {
  readonly portfolio: PortfolioQuery['portfolio'];
  readonly isFirstPage: boolean;
  readonly clear: (() => void) | undefined;
  readonly create: (() => void) | undefined;
};

function Rows({ portfolio: { rows, environments }, isFirstPage, clear, create }: RowsProps) {
  if (rows.length > 0) return <Portfolio rows={rows} environments={environments} />;
  if (!isFirstPage) return <EmptyState>{t('products.page.none')}</EmptyState>;
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
  /** Products on the pages before. */
  readonly after: number;
  readonly count: number;
  readonly go: (after: number) => void;
};

/** Pages in the order of the list, for a tenant with more products than one has. */
function Pages({ after, count, go }: PagesProps) {
  const hasNext = after + PAGE_SIZE < count;
  if (after === 0 && !hasNext) return null;
  return (
    <nav className={styles.pages} aria-label={t('pager.label')}>
      {after > 0 && (
        <Button size="small" onClick={() => go(0)}>
          {t('products.page.first')}
        </Button>
      )}
      {hasNext && (
        <Button size="small" onClick={() => go(after + PAGE_SIZE)}>
          {t('products.page.next')}
        </Button>
      )}
      {count > after && (
        <span className="quiet">
          {t('products.page.range', { from: after + 1, to: Math.min(count, after + PAGE_SIZE), of: count })}
        </span>
      )}
    </nav>
  );
}

/** Lead sentence: the number of products that need a person. */
function lead({ productCount, urgentCount: n }: PortfolioQuery['portfolio'], isFiltered: boolean): string {
  if (productCount === 0) return t('products.lead');
  return t(isFiltered ? 'products.lead.filtered' : 'products.lead.need', { n, of: productCount });
}
