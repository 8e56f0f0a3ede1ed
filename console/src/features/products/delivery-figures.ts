import { currentLocale } from '../../lib/i18n.ts';
import { t } from './labels.ts';

const WEEK_DAYS = 7;
const MONTH_DAYS = 30;

interface Delivery {
  readonly deployments: number;
  readonly deploymentsPerDay: number;
  readonly changeFailureShare: number | null;
}

const rounded = (value: number): string =>
  new Intl.NumberFormat(currentLocale(), { maximumFractionDigits: 1 }).format(value);

/** Number of deployments in the shortest of a day, a week or a month that has one at least. */
function frequency(perDay: number): string {
  if (perDay >= 1) return t('delivery.perDay', { n: rounded(perDay) });
  if (perDay * WEEK_DAYS >= 1) return t('delivery.perWeek', { n: rounded(perDay * WEEK_DAYS) });
  return t('delivery.perMonth', { n: rounded(perDay * MONTH_DAYS) });
}

/** Delivery metrics as people read them. */
export const deliveryFigures = ({ deployments, deploymentsPerDay, changeFailureShare }: Delivery) => ({
  frequency: deployments === 0 ? t('none') : frequency(deploymentsPerDay),
  failureShare:
    changeFailureShare === null
      ? t('none')
      : new Intl.NumberFormat(currentLocale(), { style: 'percent', maximumFractionDigits: 0 }).format(
          changeFailureShare,
        ),
});
