import { ago } from '../../lib/time.ts';
import { EstateLabel } from '../../ui/EntityStates.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import { estateState, type ProductInEnvironment } from './product-in-environment.ts';

/** Time since a completion. Never in the future: the clock of the page is that of its last minute. */
const since = (time: string, now: Date): string => ago(time, new Date(Math.max(now.getTime(), Date.parse(time))));

type ProductStateProps = { readonly product: ProductInEnvironment; readonly now: Date };

/** Version of a product in an environment, since when, its state, and what is under way or waits. */
export function ProductState({ product, now }: ProductStateProps) {
  const { states, current, unsettled, promotion } = product;
  const estate = estateState(product);
  const hasFailed = states.includes('FAILED');
  return (
    <>
      {current === null ? (
        <span className="quiet">{t('cell.nothing')}</span>
      ) : (
        <span>
          <b>{current.semver}</b>{' '}
          {current.completedAt !== null && (
            <time className="quiet" dateTime={current.completedAt}>
              {since(current.completedAt, now)}
            </time>
          )}
        </span>
      )}
      {unsettled && hasFailed && (
        <StateLabel wrap look="failed">
          {t('cell.failed', { what: unsettled.semver })}
        </StateLabel>
      )}
      {estate && <EstateLabel state={estate} />}
      {unsettled && !hasFailed && (
        <StateLabel wrap look={unsettled.waitsFor === 'PERSON' ? 'held' : 'running'}>
          {t(`cell.${unsettled.waitsFor ?? 'AGENTS'}`, { what: unsettled.semver })}
        </StateLabel>
      )}
      {promotion && (
        <StateLabel wrap look={promotion.state === 'PENDING' ? 'held' : 'signed-waiting'}>
          {t(promotion.state === 'PENDING' ? 'cell.pending' : 'cell.approved', { what: promotion.semver })}
        </StateLabel>
      )}
      {promotion && promotion.others > 0 && <span className="quiet">{t('cell.more', { n: promotion.others })}</span>}
    </>
  );
}
