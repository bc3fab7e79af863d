package io.fibry.web.internal;

import io.fibry.function.ReplyHandler;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.web.WebSession;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one request does with its session. One thread at a time uses it, as it uses the request.
 *
 * @param <S> the type of the state
 */
final class SessionUse<S> implements WebSession<S> {
    private final SessionTable<S> table;
    private @Nullable SessionActor<S> session;
    private boolean wasMade;
    /** The key that the client must learn: empty if it must forget its key; null if nothing has changed. */
    private @Nullable String changedKey;

    SessionUse(SessionTable<S> table) {
        this.table = table;
    }

    @Nullable String changedKey() {
        return changedKey;
    }

    Optional<WebSession<S>> find(HttpCall call) {
        if (session == null && changedKey == null) {
            session = table.key(call).map(table::session).orElse(null);
        }
        return session == null ? Optional.empty() : Optional.of(this);
    }

    WebSession<S> begin(HttpCall call) {
        if (find(call).isEmpty()) {
            var key = table.make();
            session = table.session(key);
            wasMade = true;
            changedKey = key;
        }
        return this;
    }

    private SessionActor<S> there() {
        var known = session;
        if (known == null || known.hasEnded()) {
            throw new HttpProblem(401, "the session has ended");
        }
        return known;
    }

    @Override
    public <R extends @Nullable Object> R ask(ReplyHandler<? super S, R> code) throws Exception {
        return there().ask(code, table.options().askLimit());
    }

    @Override
    public void renew() {
        changedKey = table.renew(there());
    }

    @Override
    public void end() {
        var known = session;
        if (known != null) {
            known.end();
            session = null;
            changedKey = "";
        }
    }

    /** The client does not learn the key of a session that has just been made. */
    void failed() {
        if (wasMade) {
            end();
            changedKey = null;
        }
    }

    @Override
    public String toString() {
        return "WebSession"; // the key is a secret
    }
}
