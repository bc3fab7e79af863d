package io.fibry.web;

import io.fibry.ActorScope;
import io.fibry.net.HttpCall;
import io.fibry.net.HttpFilter;
import io.fibry.web.internal.SessionTable;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Sessions of users, each of them an actor with a state of its own. They are in memory: they end with their scope.
 *
 * <pre>{@code
 * WebSessions<Cart> carts = WebSessions.open(scope, Cart::new, WebSessionOptions.standard());
 * var routes = HttpRoutes.none()
 *         .post("/cart/{item}", call -> HttpAnswer.text("items: " + carts.begin(call).ask(cart -> cart.add(call.parameter("item")))))
 *         .around(carts);
 * }</pre>
 *
 * <p>A session begins when a handler calls {@link #begin}, never because of a cookie: a key that this server has not made
 * stands for no session. Keys are random numbers of 256 bits. Objects are thread-safe.
 *
 * @param <S> the type of the state
 */
public interface WebSessions<S> extends HttpFilter {
    /**
     * Opens sessions.
     *
     * @param <S> the type of the state
     * @param scope the scope in which the actors live
     * @param state makes the state of a session; a state that is {@link AutoCloseable} is closed when its session ends
     * @param options the options
     * @return the sessions, which are also a filter that must be around the routes that use them
     */
    static <S> WebSessions<S> open(ActorScope scope, Supplier<? extends S> state, WebSessionOptions options) {
        return SessionTable.open(scope, state, options);
    }

    /**
     * Returns the session of a request. This is a use of the session.
     *
     * @param call the request
     * @return the session; empty if the client has none, or if it has ended
     * @throws IllegalStateException if this filter is not around the route
     */
    Optional<WebSession<S>> find(HttpCall call);

    /**
     * Returns the session of a request, or begins one.
     *
     * @param call the request
     * @return the session
     * @throws IllegalStateException if this filter is not around the route
     * @throws io.fibry.net.HttpProblem with status 503 if there are as many sessions as there may be, or if the scope is
     *     closed
     */
    WebSession<S> begin(HttpCall call);

    /**
     * Returns how many sessions there are.
     *
     * @return the number
     */
    int size();
}
