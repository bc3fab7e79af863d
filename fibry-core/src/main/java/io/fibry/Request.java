package io.fibry;

import org.jspecify.annotations.Nullable;

/**
 * A message that names the type of its answer. One actor can take many types of requests, and the compiler knows the
 * answer of each: {@link Actor#ask(Request)} returns a future of that type.
 *
 * <p>A request belongs to a <i>protocol</i>, the type of all messages that an actor takes. A generic sealed interface makes
 * a protocol of requests; its argument is the type of the answer:
 *
 * <pre>{@code
 * sealed interface Text<R> extends Request<Text<?>, R> {
 *     record Length(String text) implements Text<Integer> {}
 *     record Upper(String text) implements Text<String> {}
 * }
 *
 * Actor<Text<?>, Reply> texts = builder.newActorWithReturn(request -> switch (request) {
 *     case Text.Length length -> length.reply(length.text().length());
 *     case Text.Upper upper -> upper.reply(upper.text().toUpperCase());
 * });
 * CompletableFuture<Integer> length = texts.ask(new Text.Length("four"));
 * String upper = texts.askWait(new Text.Upper("loud"));
 * }</pre>
 *
 * <p>A request of another protocol does not compile in {@code ask}, and neither does a reply of a wrong type in the
 * handler. If the switch forgets a type, the compiler reports it.
 *
 * <p>A protocol can also have messages that are no requests. Each request then names the protocol itself:
 *
 * <pre>{@code
 * sealed interface Account {
 *     record Deposit(long cents) implements Account {}
 *     record Balance() implements Account, Request<Account, Long> {}
 * }
 *
 * Actor<Account, Reply> account = builder.state(Purse::new).newActorWithReturn((Purse purse, Account message) -> switch (message) {
 *     case Account.Deposit deposit -> {
 *         purse.add(deposit.cents());
 *         yield Reply.none();
 *     }
 *     case Account.Balance balance -> balance.reply(purse.cents());
 * });
 * }</pre>
 *
 * <p>Any actor whose handler returns a {@link Reply} takes requests: with a state, with a context, made by a factory, by key,
 * as a worker, as a member of a group. A request can be told as well ({@link Actor#sendMessage}); its reply is then dropped.
 *
 * <p>This interface has no state. A request is as thread-safe as its class; records of immutable parts are.
 *
 * @param <P> the protocol: the type of the messages of the actors that take this request. The class of the request must
 *     be a subtype of it; the compiler cannot check that, so a request of another class fails with a {@link
 *     ClassCastException} that names the actor
 * @param <R> type of the answer; {@link Void} if the answer only says that the request was handled
 */
public interface Request<P, R extends @Nullable Object> {
    /**
     * Makes the reply to this request. The handler returns it.
     *
     * @param value the answer; {@code null} for a request whose answer is {@link Void}
     * @return the reply
     */
    default Reply reply(R value) {
        return new Reply(this, value);
    }
}
