package io.fibry.web.internal;

import io.fibry.ActorScope;
import io.fibry.function.ReplyHandler;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.net.ServedCall;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpProblem;
import io.fibry.time.TimeSource;
import io.fibry.web.SetCookie;
import io.fibry.web.WebSession;
import io.fibry.web.WebSessionOptions;
import io.fibry.web.WebSessions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sessions by their keys.
 *
 * <p>A session has a place from before its actor is made until after its actor has ended, so there are never more actors
 * than places. The exit hook of the actor removes the key and gives the place back.
 *
 * @param <S> the type of the state
 */
public final class SessionTable<S> implements WebSessions<S> {
    private static final int KEY_BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ActorScope scope;
    private final TimeSource time;
    private final Supplier<? extends S> states;
    private final WebSessionOptions options;
    private final String cookie;
    /** A session is put in before its client learns the key; who puts it in looks afterwards whether it has ended. */
    private final ConcurrentHashMap<String, SessionActor<S>> sessions = new ConcurrentHashMap<>();
    /** A place is taken before the actor is made, and given back by its exit hook. */
    private final AtomicInteger places = new AtomicInteger();

    /** The sessions that one request uses; several tables may be around its route. */
    private record Uses(Map<SessionTable<?>, SessionUse<?>> byTable) {
    }

    private SessionTable(ActorScope scope, TimeSource time, Supplier<? extends S> states,
            WebSessionOptions options) {
        this.scope = scope;
        this.time = time;
        this.states = states;
        this.options = options;
        cookie = (options.secure() ? "__Host-" : "") + options.cookie();
    }

    /**
     * Opens sessions.
     *
     * @param <S> the type of the state
     * @param scope the scope of the actors
     * @param state makes the state of a session
     * @param options the options
     * @return the sessions
     */
    public static <S> WebSessions<S> open(ActorScope scope, Supplier<? extends S> state,
            WebSessionOptions options) {
        return new SessionTable<S>(Objects.requireNonNull(scope, "scope"),
                ServerBuilder.of(scope.anonymous()).time(),
                Objects.requireNonNull(state, "state"), Objects.requireNonNull(options, "options"));
    }

    @Override
    public HttpAnswer filter(HttpCall call, ReplyHandler<HttpCall, HttpAnswer> next) throws Exception {
        var mine = new SessionUse<>(this);
        call.attribute(Uses.class).orElseGet(() -> {
            var uses = new Uses(new HashMap<>());
            call.put(Uses.class, uses);
            return uses;
        }).byTable.put(this, mine);
        HttpAnswer answer;
        try {
            answer = next.handle(call);
        } catch (Throwable failure) { // the server makes the answer, and keeps these headers
            mine.failed();
            var served = ServedCall.of(call);
            var changed = mine.changedKey();
            if (served != null && changed != null) {
                served.answerHeaders().put("Set-Cookie", setCookie(changed));
                served.answerHeaders().put("Cache-Control", "no-store");
            }
            throw failure;
        }
        var changed = mine.changedKey();
        if (changed == null) {
            return answer;
        }
        var withCookie = answer.header("Set-Cookie", setCookie(changed));
        return withCookie.header("Cache-Control").isPresent() ? withCookie
                : withCookie.header("Cache-Control", "no-store");
    }

    private String setCookie(String key) {
        var set = SetCookie.of(cookie, key).secure(options.secure());
        return (key.isEmpty() ? set.maxAge(Duration.ZERO) : set).encoded();
    }

    @SuppressWarnings("unchecked") // each table puts in its own
    private SessionUse<S> use(HttpCall call) {
        return call.attribute(Uses.class).map(uses -> (SessionUse<S>) uses.byTable.get(this))
                .orElseThrow(() -> new IllegalStateException(
                        "the sessions are not around the route of " + call
                                + "; add them by routes.around(sessions)"));
    }

    @Override
    public Optional<WebSession<S>> find(HttpCall call) {
        return use(call).find(call);
    }

    @Override
    public WebSession<S> begin(HttpCall call) {
        return use(call).begin(call);
    }

    @Override
    public int size() {
        return sessions.size();
    }

    // ---- For the uses of requests. ----

    WebSessionOptions options() {
        return options;
    }

    /** Returns the key that a client has sent, if it stands for a session that lives. */
    Optional<String> key(HttpCall call) {
        var key = call.cookie(cookie).orElse("");
        var known = sessions.get(key);
        if (known == null || !known.isAlive(time.nanoTime(), Durations.boundedNanos(options.lifetime()))) {
            return Optional.empty();
        }
        return Optional.of(key);
    }

    @Nullable SessionActor<S> session(String key) {
        return sessions.get(key);
    }

    private static String newKey() {
        var bytes = new byte[KEY_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Makes a session; returns its key. */
    String make() {
        if (places.incrementAndGet() > options.most()) {
            places.decrementAndGet();
            throw new HttpProblem(503, "too many sessions; try again later");
        }
        var key = newKey();
        SessionActor<S> made;
        try {
            made = new SessionActor<>(key, states.get(), time.nanoTime(), this::ended);
            start(made);
        } catch (Throwable noSession) {
            places.decrementAndGet();
            throw noSession;
        }
        sessions.put(key, made);
        if (made.hasEnded()) {
            sessions.remove(key, made);
        }
        return key;
    }

    private void start(SessionActor<S> made) {
        try {
            made.start(scope, options.idle());
        } catch (IllegalStateException closed) {
            throw new HttpProblem(503, "too much to do; try again later", closed);
        }
    }

    /** Gives a session another key, which is returned. */
    String renew(SessionActor<S> session) {
        var key = newKey();
        sessions.put(key, session);
        sessions.remove(session.changeKey(key), session);
        if (session.hasEnded()) {
            sessions.remove(key, session);
        }
        return key;
    }

    private void ended(SessionActor<S> session) {
        sessions.remove(session.key(), session);
        places.decrementAndGet();
    }

    @Override
    public String toString() {
        return "WebSessions[" + sessions.size() + "]";
    }
}
