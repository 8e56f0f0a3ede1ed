import { ago } from '../../lib/time.ts';
import { EstateLabel } from '../../ui/EntityStates.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import { activeDeployment, failedDeployment, type ProductInEnvironment } from './product-in-environment.ts';

/** Time since a completion. Never in the future: the clock of the page is that of its last minute. */
const since = (at: string, now: Date): string => ago(at, new Date(Math.max(now.getTime(), Date.parse(at))));

type ProductStateProps = { readonly product: ProductInEnvironment; readonly now: Date };

/** Version of a product in an environment, since when, its state, and what is under way or waits. */
export function ProductState({ product, now }: ProductStateProps) {
  const { estate, current, promotion, otherPromotions } = product;
  const failed = failedDeployment(product);
  const active = activeDeployment(product);
  const isPaused = active?.waitsFor === 'PERSON';
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
      {failed && (
        <StateLabel wrap look="failed">
          {t('cell.failed', { what: failed.semver })}
        </StateLabel>
      )}
      {estate !== null && <EstateLabel state={estate} />}
      {active && (
        <StateLabel wrap look={isPaused ? 'held' : 'running'}>
          {t(isPaused ? 'cell.paused' : active.waitsFor === 'ANALYSIS' ? 'cell.analysis' : 'cell.active', {
            what: active.semver,
          })}
        </StateLabel>
      )}
      {promotion && (
        <StateLabel wrap look={promotion.state === 'PENDING' ? 'held' : 'signed-waiting'}>
          {t(promotion.state === 'PENDING' ? 'cell.pending' : 'cell.approved', { what: promotion.semver })}
        </StateLabel>
      )}
      {otherPromotions > 0 && <span className="quiet">{t('cell.more', { n: otherPromotions })}</span>}
    </>
  );
}
