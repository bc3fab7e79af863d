package io.fibry;

import org.jspecify.annotations.Nullable;

/**
 * A message that names the type of its answer. One actor can take many types of requests, and the compiler knows the
 * answer of each: {@link Actor#request(Request)} returns a future of that type.
 *
 * <p>The types of messages that an actor takes are its <i>protocol</i>. A generic sealed interface makes a protocol of
 * requests; its argument is the type of the answer:
 *
 * <pre>{@code
 * sealed interface Text<R> extends Request<R> {
 *     record Length(String text) implements Text<Integer> {}
 *     record Upper(String text) implements Text<String> {}
 * }
 *
 * Actor<Text<?>, Reply> texts = builder.newActorWithReturn(request -> switch (request) {
 *     case Text.Length length -> length.reply(length.text().length());
 *     case Text.Upper upper -> upper.reply(upper.text().toUpperCase());
 * });
 * CompletableFuture<Integer> length = texts.request(new Text.Length("four"));
 * String upper = texts.requestWait(new Text.Upper("loud"));
 * }</pre>
 *
 * <p>A reply of a wrong type does not compile in the handler. If the switch forgets a type, the compiler reports it.
 *
 * <p>A protocol can also have messages that are no requests:
 *
 * <pre>{@code
 * sealed interface Account {
 *     record Deposit(long cents) implements Account {}
 *     record Balance() implements Account, Request<Long> {}
 * }
 *
 * Actor<Account, Reply> account = builder.state(Purse::new).newActorWithReturn((Purse purse, Account message) -> switch
 * (message) {
 *     case Account.Deposit deposit -> {
 *         purse.add(deposit.cents());
 *         yield Reply.none();
 *     }
 *     case Account.Balance balance -> balance.reply(purse.cents());
 * });
 * }</pre>
 *
 * <p>The class of the request has to be one of the types of messages that the actor takes. The compiler cannot check this
 * where the request is asked. If an actor is asked a request of another protocol, the answer fails with a {@link
 * ClassCastException} that names the actor.
 *
 * <p>Any actor whose handler returns a {@link Reply} takes requests: with a state, with a context, made by a factory, by key,
 * as a worker, as a member of a group. A request can be told as well ({@link Actor#sendMessage}); its reply is then
 * dropped.
 *
 * <p>This interface has no state. A request is as thread-safe as its class; records of immutable parts are.
 *
 * @param <R> type of the answer; {@link Void} if the answer only says that the request was handled
 */
public interface Request<R extends @Nullable Object> {
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
