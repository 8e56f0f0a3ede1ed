import { getRouteApi } from '@tanstack/react-router';
import { lazy, type Ref, Suspense, useEffect, useRef } from 'react';
import { ProductDocument, type ProductQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { usePageView } from '../../lib/url-state.ts';
import { TicketRules } from '../../parts/TicketRules.tsx';
import { Badge } from '../../ui/Badge.tsx';
import { EntityPage } from '../../ui/EntityPage.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { ForbiddenAction } from '../../ui/Forbidden.tsx';
import { optional } from '../../ui/optional-value.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Split } from '../../ui/Panel.tsx';
import { SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { Delivery } from './Delivery.tsx';
import { t } from './labels.ts';
import { PathEditor } from './PathEditor.tsx';
import { PathSection } from './PathSection.tsx';
import { EditProduct, RemoveProduct } from './ProductForm.tsx';
import { ProductReleases } from './ProductReleases.tsx';
import styles from './Products.module.css';
import { ProductTargets } from './ProductTargets.tsx';
import { StepPanel } from './StepPanel.tsx';
import { usePathDraft } from './use-path-draft.ts';

const route = getRouteApi('/products/$id');

/** Loaded beside the page, whose first view is the path. */
const Sources = lazy(() => import('./Sources.tsx').then((module) => ({ default: module.Sources })));

type Product = NonNullable<ProductQuery['product']>;
type PageProps = { readonly product: Product; readonly data: ProductQuery; readonly refetch: () => void };

/** Types whose changes may change the page. */
const WATCHED_TYPES = [
  'Product',
  'Release',
  'Deployment',
  'Promotion',
  'Target',
  'Environment',
  'ReleaseSource',
  'Agent',
];

/** Page of a product: its path, what runs in each step, its releases, its targets and its settings. */
export function ProductPage() {
  const { id } = route.useParams();
  const answer = useLiveQuery(ProductDocument, { id }, WATCHED_TYPES);
  return (
    <EntityPage of={answer} entity={(data) => data.product} fault={t('product.fault')} gone={t('product.notFound')}>
      {(product, data) => <Page product={product} data={data} refetch={answer.refetch} />}
    </EntityPage>
  );
}

function Page({ product, data, refetch }: PageProps) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const mayUpdate = product.viewerCanUpdate.allowed;
  const close = () => set({ ask: undefined });
  const isEditing = view.ask === 'path' && mayUpdate;
  const editButton = useFocusAfter(isEditing);
  if (isEditing) return <PathPage product={product} data={data} refetch={refetch} />;
  return (
    <>
      <ProductHead product={product} editButton={editButton} ask={(ask) => set({ ask })} />
      <PathSection product={product} environments={data.environments} />
      <ProductReleases name={product.name} releases={data.releases} />
      <Delivery productId={product.id} days={view.days} choose={(days) => set({ days })} />
      <Suspense fallback={<SkeletonRows rows={3} />}>
        <Sources product={product} isAsked={view.ask === 'source' && mayUpdate} ask={(ask) => set({ ask })} />
      </Suspense>
      <ProductTargets targets={product.targets} environments={data.environments} />
      <TicketRules productId={product.id} isAsked={view.ask === 'tickets'} ask={(ask) => set({ ask })} />
      <Settings product={product} />
      {view.ask === 'edit' && mayUpdate && <EditProduct product={product} close={close} />}
      {view.ask === 'remove' && product.viewerCanRemove.allowed && (
        <RemoveProduct product={product} releases={data.releases} close={close} />
      )}
    </>
  );
}

/** Reference of the button that gets the focus once the editing ends. */
function useFocusAfter(isEditing: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(isEditing);
  useEffect(() => {
    if (wasEditing.current && !isEditing) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  return button;
}

/** Page while the path is edited: the graph, its effect, and the fields of a step beside them. */
function PathPage({ product, data: { environments }, refetch }: PageProps) {
  const { view, set } = usePageView(route.useSearch(), route.useNavigate());
  const path = usePathDraft(product, environments, refetch);
  const selected = environments.find(({ id }) => id === view.step && path.draft.steps.some((step) => step.id === id));
  const choose = (step: string | undefined) => set({ step });
  return (
    <Split
      panel={
        selected && (
          <StepPanel environment={selected} environments={environments} path={path} close={() => choose(undefined)} />
        )
      }
    >
      <PageHead
        crumbs={[
          { path: '/products', label: t('products.title') },
          { path: `/products/${product.id}`, label: product.name },
        ]}
        title={t('path.edit.title', { name: product.name })}
      >
        {t('path.edit.lead')}
      </PageHead>
      <PathEditor
        product={product}
        environments={environments}
        path={path}
        targets={product.targets}
        chosen={selected?.id}
        choose={choose}
        close={() => set({ ask: undefined, step: undefined })}
      />
    </Split>
  );
}

type ProductHeadProps = {
  readonly product: Product;
  /** Button that opens the editor of the path. */
  readonly editButton: Ref<HTMLButtonElement>;
  readonly ask: (what: 'edit' | 'path' | 'remove') => void;
};

function ProductHead({ product, editButton, ask }: ProductHeadProps) {
  const { name, labels, viewerCanUpdate, viewerCanRemove } = product;
  return (
    <>
      <PageHead
        crumbs={[{ path: '/products', label: t('products.title') }]}
        title={name}
        state={
          <span className={styles.labels}>
            {labels.map((label) => (
              <Badge key={label.name}>{t('label.pair', { name: label.name, value: label.value })}</Badge>
            ))}
          </span>
        }
        actions={[
          ...(viewerCanUpdate.allowed
            ? [
                { id: 'product.path', keys: 'p', title: t('path.edit'), button: editButton, run: () => ask('path') },
                { id: 'product.edit', keys: 'e', title: t('product.edit'), run: () => ask('edit') },
              ]
            : []),
          ...(viewerCanRemove.allowed
            ? [{ id: 'product.remove', title: t('product.remove'), run: () => ask('remove') }]
            : []),
        ]}
      >
        {lead(product)}
      </PageHead>
      {!viewerCanUpdate.allowed && (
        <div className={styles.rule}>
          <ForbiddenAction name={t('product.edit.name')} scope="orch:admin" permission={viewerCanUpdate} />
        </div>
      )}
    </>
  );
}

/** Lead sentence: where the product runs, and where it needs a person. */
function lead({ environments }: Product): string {
  const names = (some: Product['environments']) => listText(some.map(({ environment }) => environment.name));
  const running = environments.filter(({ currentDeployment }) => currentDeployment !== null);
  const failed = environments.filter(({ states }) => states.includes('FAILED'));
  const drifted = environments.filter(({ states }) => states.includes('DRIFT') || states.includes('UNOBSERVED'));
  const waiting = environments.filter(({ states }) => states.includes('WAITING'));
  return [
    running.length === 0 ? t('product.lead.nowhere') : t('product.lead.runs', { where: names(running) }),
    failed.length > 0 ? t('product.lead.failed', { where: names(failed) }) : '',
    drifted.length > 0 ? t('product.lead.strays', { where: names(drifted) }) : '',
    waiting.length > 0 ? t('product.lead.waiting', { where: names(waiting) }) : '',
  ]
    .filter(Boolean)
    .join(' ');
}

function Settings({ product }: { readonly product: Product }) {
  const { description, ownerGroups, components, createdAt, viewerCanUpdate, viewerCanRemove } = product;
  return (
    <Section title={t('product.settings')}>
      <div className={styles.settings}>
        <Facts look="page">
          <Fact label={t('product.description')}>{optional(description || null, t('none'), (text) => text)}</Fact>
          <Fact label={t('product.owners')}>{optional(ownerGroups.join(', ') || null, t('none'), (text) => text)}</Fact>
          <Fact label={t('declared.title')}>
            {optional(components, t('declared.free'), (declared) => (
              <ul>
                {declared.map(({ name, repository, required }) => (
                  <li key={name}>
                    {name} <span className="code">{repository}</span>{' '}
                    {!required && <span className="quiet">{t('declared.optional')}</span>}
                  </li>
                ))}
              </ul>
            ))}
          </Fact>
          <Fact label={t('product.created')} at={createdAt} />
        </Facts>
        {viewerCanUpdate.allowed && !viewerCanRemove.allowed && (
          <ForbiddenAction name={t('product.remove.name')} scope="orch:admin" permission={viewerCanRemove} />
        )}
      </div>
    </Section>
  );
}
