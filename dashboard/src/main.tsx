/** Starts the dashboard in the page that the server sends. */
import { render } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { startKeys } from "./app/keys.ts";
import { navigate, place, startRouter } from "./app/router.ts";
import { isScreenFor, screenOf } from "./screens.ts";
import { homePath, isOperator, loadSession, session } from "./app/session.ts";
import { startTheme } from "./app/theme.ts";
import { LoginScreen } from "./account/login-screen.tsx";
import { isWaitingForFirst } from "./message/first-message.ts";
import { NoSuchScreen } from "./shell/no-such-screen.tsx";
import { Shell } from "./shell/shell.tsx";

function App() {
  const known = session.value;
  const { path } = place.value;
  const home = homePath.value;
  const isForwarded = Boolean(known) && path !== home && (path === "/" || path === "/login");
  // Before the browser paints, so that no other screen flashes up.
  useLayoutEffect(() => {
    if (isForwarded) navigate(home, "replace");
  }, [isForwarded, home]);
  if (known === undefined || isForwarded) return null;
  const found = screenOf(path);
  if (known === null && found?.row.isFor !== "all") return <LoginScreen />;
  const isShown = found !== null && isScreenFor(found.row, isOperator.value);
  const Screen = isShown ? found.row.screen : NoSuchScreen;
  return (
    <Shell isFirst={isWaitingForFirst.value}>
      <Screen key={found?.id ?? ""} id={found?.id ?? ""} />
    </Shell>
  );
}

startTheme();
startRouter();
startKeys();
void loadSession();
render(<App />, document.getElementById("root")!);
