import type { ProductPlaceFragment } from '../../generated/operations.ts';
import { ago } from '../../lib/time.ts';
import { EstateLabel } from '../../ui/EntityStates.tsx';
import { StateLabel } from '../../ui/StateLabel.tsx';
import { t } from './labels.ts';
import { activeDeployment, failedDeployment } from './product-state.ts';

/** Path of the page where the most urgent part of a place is handled; undefined where nothing is. */
export function placePath(place: ProductPlaceFragment): string | undefined {
  const deployment = failedDeployment(place) ?? activeDeployment(place);
  if (deployment !== undefined) return `/deployments/${deployment.id}`;
  const [promotion] = place.promotions;
  if (promotion?.state === 'PENDING') return `/inbox?item=${promotion.id}`;
  if (promotion !== undefined) return `/releases/${promotion.release.id}/deploy?env=${place.environment.id}`;
  return place.currentDeployment === null ? undefined : `/deployments/${place.currentDeployment.id}`;
}

/** Time since a completion. Never in the future: the clock of the page is that of its last minute. */
const since = (at: string, now: Date): string => ago(at, new Date(Math.max(now.getTime(), Date.parse(at))));

type ProductStateProps = { readonly place: ProductPlaceFragment; readonly now: Date };

/** Version of a product in an environment, since when, its state, and what is under way or waits. */
export function ProductState({ place, now }: ProductStateProps) {
  const { state, currentDeployment: current, promotions } = place;
  const failed = failedDeployment(place);
  const active = activeDeployment(place);
  const [promotion, ...others] = promotions;
  return (
    <>
      {current === null ? (
        <span className="quiet">{t('place.nothing')}</span>
      ) : (
        <span>
          <b>{current.release.semver}</b>{' '}
          {current.completedAt !== null && (
            <time className="quiet" dateTime={current.completedAt}>
              {since(current.completedAt, now)}
            </time>
          )}
        </span>
      )}
      {failed && (
        <StateLabel wrap look="failed">
          {t('place.failed', { what: failed.release.semver })}
        </StateLabel>
      )}
      {state !== null && <EstateLabel state={state} />}
      {active && (
        <StateLabel wrap look={active.status === 'PAUSED' ? 'held' : 'running'}>
          {t(active.status === 'PAUSED' ? 'place.paused' : 'place.active', { what: active.release.semver })}
        </StateLabel>
      )}
      {promotion && (
        <StateLabel wrap look={promotion.state === 'PENDING' ? 'held' : 'signed-waiting'}>
          {t(promotion.state === 'PENDING' ? 'place.pending' : 'place.approved', { what: promotion.release.semver })}
        </StateLabel>
      )}
      {others.length > 0 && <span className="quiet">{t('place.more', { n: others.length })}</span>}
    </>
  );
}
