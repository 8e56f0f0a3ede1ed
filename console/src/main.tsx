import './ui/tokens.css';
import './ui/base.css';
import { ApolloProvider } from '@apollo/client/react';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followChanges } from './changes.ts';
import { saveDrafts } from './lib/form-drafts.ts';
import { client } from './lib/graph-client.ts';
import { t } from './lib/i18n.ts';
import { problemOf } from './lib/problem.ts';
import { beforeSignIn, signIn } from './lib/session.ts';
import { applySettings } from './lib/settings.ts';
import { router } from './routes.tsx';
import { ErrorPanel } from './ui/QueryResult.tsx';

applySettings();

const root = document.getElementById('root');
if (root !== null) {
  const page = createRoot(root);
  try {
    // The page's code loads while the session is fetched.
    void router.load();
    await signIn();
    beforeSignIn(saveDrafts);
    page.render(
      <StrictMode>
        <ApolloProvider client={client}>
          <RouterProvider router={router} />
        </ApolloProvider>
      </StrictMode>,
    );
    followChanges();
  } catch (error) {
    page.render(
      <main style={{ padding: 32 }}>
        <ErrorPanel title={t('fault.session')} problem={problemOf(error)} refetch={() => location.reload()} />
      </main>,
    );
  }
}
