package io.fibry.web;

import io.fibry.internal.clock.SystemTime;
import io.fibry.net.HttpAnswer;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpCallHandler;
import io.fibry.net.HttpFilter;
import io.fibry.net.HttpProblem;
import io.fibry.time.TimeSource;
import io.fibry.web.internal.ClientKey;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Limits how many requests each client may make in a time. Further requests are answered with 429 and {@code Retry-After}.
 *
 * <pre>{@code
 * routes.around(ClientRate.of(100, Duration.ofMinutes(1)))                                     // for each address
 * routes.around(ClientRate.of(5, Duration.ofMinutes(1)).by(call -> call.parameter("account"))) // for what the program chooses
 * }</pre>
 *
 * <p>A client that has been quiet may make all of its requests at once; places come back evenly, one after another. Clients
 * are known by their address, with IPv6 by the network of 64 bits. At most 100,000 clients are kept; if there are more at
 * a time, those that come last share one limit.
 *
 * <p>Objects of this class are thread-safe. Each one counts for itself: the methods that change a setting return an object
 * that begins to count anew.
 */
public final class ClientRate implements HttpFilter {
    private static final int MOST_CLIENTS = 100_000;
    private static final Object OTHERS = new Object();
    private static final int TOO_MANY = 429;
    private static final long SECOND = 1_000_000_000L;

    private final int requests;
    private final Duration time;
    private final Function<HttpCall, ?> key;
    private final TimeSource clock;
    private final int mostClients;
    private final long step;
    /** When each client will have got back all of its places. */
    private final ConcurrentHashMap<Object, Long> full = new ConcurrentHashMap<>();
    /** The thread that sets it searches for clients that are not needed. */
    private final AtomicLong swept;

    private ClientRate(int requests, Duration time, Function<HttpCall, ?> key, TimeSource clock,
            int mostClients) {
        this.requests = requests;
        this.time = time;
        this.key = key;
        this.clock = clock;
        this.mostClients = mostClients;
        step = Math.max(1, time.toNanos() / requests);
        swept = new AtomicLong(clock.nanoTime());
    }

    /**
     * Returns a limit for each address.
     *
     * @param requests how many requests a client may make
     * @param time in which time, at most a day
     * @return the limit
     */
    public static ClientRate of(int requests, Duration time) {
        Positive.require(time, "time");
        if (requests < 1 || time.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException(
                    "a limit has at least 1 request, and at most a day: " + requests + " in " + time);
        }
        return new ClientRate(requests, time, call -> ClientKey.of(Proxies.none().client(call).address()),
                SystemTime.orStandIn(), MOST_CLIENTS);
    }

    /**
     * Returns the same limit for clients behind proxies.
     *
     * @param proxies the proxies whose statements about clients are believed
     * @return the new limit
     */
    public ClientRate proxies(Proxies proxies) {
        Objects.requireNonNull(proxies, "proxies");
        return by(call -> ClientKey.of(proxies.client(call).address()));
    }

    /**
     * Returns the same limit for other keys than addresses.
     *
     * @param chosen returns the key of a request, for example the name of the user
     * @return the new limit
     */
    public ClientRate by(Function<HttpCall, ?> chosen) {
        return new ClientRate(requests, time, Objects.requireNonNull(chosen, "chosen"), clock, mostClients);
    }

    /**
     * Returns the same limit with another clock.
     *
     * @param other the clock, for example {@link io.fibry.time.ManualTime} in a test
     * @return the new limit
     */
    public ClientRate clock(TimeSource other) {
        return new ClientRate(requests, time, key, Objects.requireNonNull(other, "other"), mostClients);
    }

    /**
     * Returns the same limit with another number of clients that are kept.
     *
     * @param most how many clients are kept, at least one
     * @return the new limit
     */
    public ClientRate mostClients(int most) {
        Positive.require(most, "mostClients");
        return new ClientRate(requests, time, key, clock, most);
    }

    @Override
    public HttpAnswer filter(HttpCall call, HttpCallHandler next) throws Exception {
        var wait = take(Objects.requireNonNull(key.apply(call), "the key of a request must not be null"));
        return wait <= 0 ? next.handle(call)
                : new HttpProblem(TOO_MANY, "too many requests; try again later").answer().header(
                        "Retry-After",
                        Long.toString(Math.ceilDiv(wait, SECOND)));
    }

    /** Takes a place; returns zero, or how long it takes until there is one. */
    private long take(Object client) {
        var now = clock.nanoTime();
        var known = hasRoom(client, now) ? client : OTHERS;
        var wait = new long[1];
        full.compute(known, (k, before) -> {
            var from = before == null || before - now < 0 ? now : before;
            wait[0] = from - now + step - step * requests;
            return wait[0] > 0 && before != null ? before : Long.valueOf(from + step);
        });
        return wait[0];
    }

    /** Tells whether a client is known, or can be. */
    private boolean hasRoom(Object client, long now) {
        if (full.size() < mostClients || full.containsKey(client)) {
            return true;
        }
        var last = swept.get();
        if (now - last < Math.max(step, SECOND / 10) || !swept.compareAndSet(last, now)) {
            return false; // the search was not long ago
        }
        full.values().removeIf(whenFull -> whenFull - now <= 0);
        return full.size() < mostClients;
    }

    @Override
    public String toString() {
        return "ClientRate[" + requests + " in " + time + "]";
    }
}
