import { lazy, Suspense } from 'react';
import { mayReadAirGap } from '../lib/airgap-permissions.ts';

const Banner = lazy(() => import('./TimeNoticeBanner.tsx').then((module) => ({ default: module.TimeNoticeBanner })));

/** Notice where people decide that the environment is sealed, and what they rely on is older than its budget. */
export const TimeNotice = () =>
  mayReadAirGap() ? (
    <Suspense fallback={null}>
      <Banner />
    </Suspense>
  ) : null;
