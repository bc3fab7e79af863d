package io.fibry.test;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.function.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An actor that a test controls. It takes the place of an actor to which the tested one sends: the test says what it expects to
 * come, and what is answered.
 *
 * <pre>{@code
 * try (var scope = ActorSystem.open("test")) {
 *     Probe<String, Integer> prices = Probe.in(scope, "prices");
 *     prices.willAnswer(3);
 *     var shop = scope.anonymous().newActorWithReturn((String item) -> 2 * prices.actor().apply(item));
 *     var price = shop.sendMessageReturn("tea");
 *     prices.expect("tea");
 *     assertEquals(6, price.get());
 * }
 * }</pre>
 *
 * <p>The messages that came are taken one by one, in their order; a message that one call has taken, the next call
 * does not see. A call with a limit waits by the clock of the scope, as the package describes.
 *
 * <p>A probe is thread-safe. What a thread does before it sends a message <i>happens-before</i> the return of the method that
 * takes the message.
 *
 * @param <M> type of the messages
 * @param <R> type of the answers
 */
public final class Probe<M, R extends @Nullable Object> {
    private final ActorScope scope;
    private final Actor<M, R> actor;
    private final Received<M> arrivals = new Received<>();
    private final Queue<ReplyHandler<M, R>> script = new ConcurrentLinkedQueue<>();
    /** Written by the test. */
    private volatile ReplyHandler<M, R> otherwise = message -> nothing();

    private Probe(ActorScope scope, Optional<String> name) {
        this.scope = scope;
        ReplyHandler<M, R> handler = this::take;
        actor = name.map(scope::named).orElseGet(scope::anonymous).newActorWithReturn(handler);
    }

    /**
     * Makes a probe without a name.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param scope the scope of its actor
     * @return the probe
     */
    public static <M, R extends @Nullable Object> Probe<M, R> in(ActorScope scope) {
        return new Probe<>(Objects.requireNonNull(scope, "scope"), Optional.empty());
    }

    /**
     * Makes a probe with a name. Code that sends to this name in the scope sends to the probe.
     *
     * @param <M> type of the messages
     * @param <R> type of the answers
     * @param scope the scope of its actor
     * @param name the name of its actor
     * @return the probe
     * @throws IllegalArgumentException if the name is taken, or blank
     */
    public static <M, R extends @Nullable Object> Probe<M, R> in(ActorScope scope, String name) {
        return new Probe<>(Objects.requireNonNull(scope, "scope"),
                Optional.of(Objects.requireNonNull(name, "name")));
    }

    /** Like an actor that has no answer. */
    @SuppressWarnings("NullAway") // an actor whose handler returns null answers null
    private R nothing() {
        return null;
    }

    private R take(M message) throws Exception {
        // Chosen before the test is told of the message: what the test adds then is for the next one.
        var scripted = script.poll();
        var handler = scripted != null ? scripted : otherwise;
        arrivals.add(message);
        return handler.handle(message);
    }

    /**
     * Returns the actor, to be given to the code that is tested.
     *
     * @return the actor
     */
    public Actor<M, R> actor() {
        return actor;
    }

    /**
     * Answers one message by a value: the next one for which no answer was given before. A message that is told takes
     * its answer as well. Without any script a probe answers {@code null}.
     *
     * @param answer the answer
     * @return this probe
     */
    public Probe<M, R> willAnswer(R answer) {
        return willHandle(message -> answer);
    }

    /**
     * Fails on one message: the next one for which no answer was given before.
     *
     * @param failure what the handler of the probe throws
     * @return this probe
     */
    public Probe<M, R> willFail(Exception failure) {
        Objects.requireNonNull(failure, "failure");
        return willHandle(message -> {
            throw failure;
        });
    }

    /**
     * Handles one message: the next one for which no answer was given before. For a request this is the place where
     * its reply is made.
     *
     * @param handler makes the answer
     * @return this probe
     */
    public Probe<M, R> willHandle(ReplyHandler<M, R> handler) {
        script.add(Objects.requireNonNull(handler, "handler"));
        return this;
    }

    /**
     * Handles each message for which no other answer was given.
     *
     * @param handler makes the answers
     * @return this probe
     */
    public Probe<M, R> otherwise(ReplyHandler<M, R> handler) {
        otherwise = Objects.requireNonNull(handler, "handler");
        return this;
    }

    /**
     * Takes the next message, within five seconds.
     *
     * @return the message
     * @throws AssertionError if none comes
     */
    public M expectNext() {
        return expectNext(TestWait.DEFAULT);
    }

    /**
     * Takes the next message.
     *
     * @param within how long to wait, more than zero
     * @return the message
     * @throws AssertionError if none comes
     */
    public M expectNext(Duration within) {
        return next("a message", new TestWait(scope, within));
    }

    /**
     * Takes the next message, which has to be the given one, within five seconds.
     *
     * @param message what the next message equals
     * @throws AssertionError if another message comes, or none
     */
    public void expect(M message) {
        expect(message, TestWait.DEFAULT);
    }

    /**
     * Takes the next message, which has to be the given one.
     *
     * @param message what the next message equals
     * @param within how long to wait, more than zero
     * @throws AssertionError if another message comes, or none
     */
    public void expect(M message, Duration within) {
        Objects.requireNonNull(message, "message");
        var what = FailureText.of(message);
        var came = next(what, new TestWait(scope, within));
        if (!came.equals(message)) {
            throw otherCame(what, List.of(message), came);
        }
    }

    /**
     * Takes the next message, which has to be of a class, within five seconds.
     *
     * @param <T> the class
     * @param type the class
     * @return the message
     * @throws AssertionError if another message comes, or none
     */
    public <T extends M> T expect(Class<T> type) {
        return expect(type, TestWait.DEFAULT);
    }

    /**
     * Takes the next message, which has to be of a class.
     *
     * @param <T> the class
     * @param type the class
     * @param within how long to wait, more than zero
     * @return the message
     * @throws AssertionError if another message comes, or none
     */
    public <T extends M> T expect(Class<T> type, Duration within) {
        Objects.requireNonNull(type, "type");
        var what = "a " + type.getName();
        var came = next(what, new TestWait(scope, within));
        if (!type.isInstance(came)) {
            throw otherCame(what, List.of(), came);
        }
        return type.cast(came);
    }

    /**
     * Takes the next messages, which have to be the given ones, in this order, each within five seconds.
     *
     * @param messages what the next messages equal
     * @throws AssertionError if another message comes, or too few
     */
    public void expectInOrder(List<? extends M> messages) {
        expectInOrder(messages, TestWait.DEFAULT);
    }

    /**
     * Takes the next messages, which have to be the given ones, in this order.
     *
     * @param messages what the next messages equal
     * @param within how long to wait for each of them, more than zero
     * @throws AssertionError if another message comes, or too few
     */
    public void expectInOrder(List<? extends M> messages, Duration within) {
        for (var message : List.copyOf(messages)) {
            expect(message, within);
        }
    }

    /**
     * Takes as many messages as are given, which have to be these, in any order, each within five seconds.
     *
     * @param messages what the next messages equal
     * @throws AssertionError if another message comes, or too few
     */
    public void expectInAnyOrder(Collection<? extends M> messages) {
        expectInAnyOrder(messages, TestWait.DEFAULT);
    }

    /**
     * Takes as many messages as are given, which have to be these, in any order.
     *
     * @param messages what the next messages equal
     * @param within how long to wait for each of them, more than zero
     * @throws AssertionError if another message comes, or too few
     */
    public void expectInAnyOrder(Collection<? extends M> messages, Duration within) {
        var missing = new ArrayList<M>(List.copyOf(messages));
        while (!missing.isEmpty()) {
            var what = "in any order " + FailureText.of(missing);
            var came = next(what, new TestWait(scope, within));
            if (!missing.remove(came)) {
                throw otherCame(what, missing, came);
            }
        }
    }

    /**
     * Takes messages until one is of a class, within five seconds. Those before it are passed over.
     *
     * @param <T> the class
     * @param type the class
     * @return the message
     * @throws AssertionError if none comes
     */
    public <T extends M> T fish(Class<T> type) {
        return fish(type, TestWait.DEFAULT);
    }

    /**
     * Takes messages until one is of a class. Those before it are passed over.
     *
     * @param <T> the class
     * @param type the class
     * @param within how long to wait, more than zero
     * @return the message
     * @throws AssertionError if none comes
     */
    public <T extends M> T fish(Class<T> type, Duration within) {
        Objects.requireNonNull(type, "type");
        return type.cast(fish("a " + type.getName() + " among other messages", type::isInstance,
                new TestWait(scope, within)));
    }

    /**
     * Takes messages until one satisfies a condition, within five seconds. Those before it are passed over.
     *
     * @param matches the condition
     * @return the message
     * @throws AssertionError if none comes
     */
    public M fish(Predicate<? super M> matches) {
        return fish(matches, TestWait.DEFAULT);
    }

    /**
     * Takes messages until one satisfies a condition. Those before it are passed over.
     *
     * @param matches the condition
     * @param within how long to wait, more than zero
     * @return the message
     * @throws AssertionError if none comes
     */
    public M fish(Predicate<? super M> matches, Duration within) {
        Objects.requireNonNull(matches, "matches");
        return fish("a message that satisfies the condition", matches, new TestWait(scope, within));
    }

    private M fish(String what, Predicate<? super M> matches, TestWait limit) {
        return limit.await(what, arrivals, () -> arrivals.takeUpTo(matches))
                .orElseThrow(() -> tooLate(what, limit));
    }

    /**
     * Waits until the actors of the scope are idle, as {@link ScopeAssertions#awaitIdle(ActorScope)} does, which leaves out bodies, and
     * fails if a message is there that was not taken. No time has to pass for that.
     *
     * @throws AssertionError if a message is there, or if an actor is still busy after five seconds
     */
    public void expectNothing() {
        ScopeAssertions.awaitIdle(scope);
        arrivals.takeFirst().ifPresent(this::failOnAny);
    }

    /**
     * Fails if a message is there that was not taken, or comes within the given time. A clock that the test moves is
     * moved by this time, and actors that stand, as {@link io.fibry.time.ManualTime} describes, are not waited for. On the clock of the
     * system the test really waits.
     *
     * @param within how long to wait, more than zero
     * @throws AssertionError if a message comes
     */
    public void expectNothing(Duration within) {
        new TestWait(scope, within).awaitNothing(arrivals, arrivals::takeFirst).ifPresent(this::failOnAny);
    }

    private void failOnAny(M came) {
        throw expected("nothing").line("but there came: " + FailureText.of(came))
                .list("all that came so far", arrivals.all()).error();
    }

    /**
     * Returns all messages that came, taken or not.
     *
     * @return an immutable list, in the order in which they came
     */
    public List<M> received() {
        return arrivals.all();
    }

    private M next(String what, TestWait limit) {
        return limit.await(what, arrivals, arrivals::takeFirst).orElseThrow(() -> tooLate(what, limit));
    }

    private FailureText expected(String what) {
        return new FailureText("probe '" + actor.name() + "' expected " + what);
    }

    private AssertionError otherCame(String what, List<?> wanted, M came) {
        var text = FailureText.of(came);
        var error = expected(what).line("but next came: " + text);
        wanted.stream().filter(each -> FailureText.of(each).equals(text)).findFirst()
                .ifPresent(alike -> error.line("they read the same: expected was a "
                        + alike.getClass().getName() + ", and a " + came.getClass().getName() + " came"));
        return error.list("all that came so far", arrivals.all()).error();
    }

    private AssertionError tooLate(String what, TestWait limit) {
        return expected(what).line("but it did not come; the test has " + limit.waited())
                .list("all that came so far", arrivals.all()).dump(scope).error();
    }

    @Override
    public String toString() {
        return "Probe[" + actor.name() + ", came: " + arrivals.all().size() + ", not taken: "
                + arrivals.left().size() + "]";
    }
}
