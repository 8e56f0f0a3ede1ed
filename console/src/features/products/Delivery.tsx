import { ProductDeliveryDocument, type ProductDeliveryQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { span } from '../../lib/time.ts';
import { ChipGroup } from '../../ui/Filters.tsx';
import { Gauge, Gauges } from '../../ui/Gauges.tsx';
import { EmptyState, QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { deliveryFigures } from './delivery-figures.ts';
import { t } from './labels.ts';
import styles from './Products.module.css';

/** Days that can be measured. */
const PERIODS = ['7', '30', '90'] as const;
const DEFAULT_DAYS = 30;

type DeliveryProps = {
  readonly productId: string;
  readonly days: number | undefined;
  readonly choose: (days: number | undefined) => void;
};

/** Delivery metrics of a product in the last steps of its path, by the terms of DORA. */
export function Delivery({ productId, days = DEFAULT_DAYS, choose }: DeliveryProps) {
  const answer = useLiveQuery(
    ProductDeliveryDocument,
    { id: productId, days },
    ['Deployment', 'Product', 'Environment'],
    false,
  );
  return (
    <Section
      title={t('delivery.title')}
      side={
        <span className="row">
          <ChipGroup
            value={PERIODS.find((period) => period === String(days))}
            options={PERIODS}
            label={(n) => t('delivery.days', { n: Number(n) })}
            choose={(next) => choose(next === undefined ? undefined : Number(next))}
          />
        </span>
      }
    >
      <QueryResult of={answer} skeleton={<SkeletonRows rows={2} />} fault={t('delivery.fault')}>
        {({ product }) => product && <Metrics delivery={product.delivery} />}
      </QueryResult>
    </Section>
  );
}

type Metrics = NonNullable<ProductDeliveryQuery['product']>['delivery'];

function Metrics({ delivery }: { readonly delivery: Metrics }) {
  const { days, lastSteps, changes, unrestored } = delivery;
  const location = listText(lastSteps.map(({ name }) => name));
  if (lastSteps.length === 0) return <EmptyState>{t('delivery.noPath')}</EmptyState>;
  if (changes === 0 && unrestored === 0)
    return <EmptyState>{t('delivery.none', { where: location, n: days })}</EmptyState>;
  const figures = deliveryFigures(delivery);
  return (
    <>
      <p className={`soft ${styles.note}`}>{t('delivery.lead', { where: location, n: days })}</p>
      <Gauges label={t('delivery.title')}>
        <Gauge
          label={t('delivery.frequency')}
          big={figures.frequency}
          sub={t('delivery.frequency.sub', { n: delivery.deployments })}
        />
        <Gauge
          label={t('delivery.leadTime')}
          big={spanText(delivery.leadTimeSeconds)}
          sub={t('delivery.leadTime.sub', { n: delivery.landings })}
        />
        <Gauge
          label={t('delivery.failures')}
          big={figures.failureShare}
          sub={t('delivery.failures.sub', { n: delivery.failedChanges, of: changes })}
        />
        <Gauge
          label={t('delivery.restore')}
          big={spanText(delivery.timeToRestoreSeconds)}
          sub={
            unrestored > 0
              ? t('delivery.restore.open', { n: unrestored })
              : t('delivery.restore.sub', { n: delivery.restored })
          }
        />
      </Gauges>
    </>
  );
}

const spanText = (seconds: number | null): string => (seconds === null ? t('none') : span(seconds * 1_000));
