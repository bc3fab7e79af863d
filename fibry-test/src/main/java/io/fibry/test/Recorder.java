package io.fibry.test;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.event.ActorEvent;
import io.fibry.time.Cancellable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Records the events of a scope: failures, stops, restarts, lost messages. As a listener that takes events it also keeps them
 * out of the log.
 *
 * <pre>{@code
 * try (var scope = ActorSystem.open("test"); var recorder = Recorder.of(scope)) {
 *     scope.named("shop").<String>newActor(item -> {
 *         throw new IllegalStateException("no " + item);
 *     }).sendMessage("tea");
 *     assertEquals("no tea", recorder.expect(Failed.class).cause().getMessage());
 * }
 * }</pre>
 *
 * <p>Recorders are thread-safe.
 */
public final class Recorder implements AutoCloseable {
    private final ActorScope scope;
    private final Received<ActorEvent> arrivals = new Received<>();
    private final Cancellable listening;

    private Recorder(ActorScope scope) {
        this.scope = scope;
        listening = scope.listen(arrivals::add);
    }

    /**
     * Makes a recorder, which records from now on.
     *
     * @param scope the scope; the events of the scopes inside it are recorded, too
     * @return the recorder
     */
    public static Recorder of(ActorScope scope) {
        return new Recorder(Objects.requireNonNull(scope, "scope"));
    }

    /**
     * Takes the first event of a class that no call has taken before, within five seconds. Events of other classes stay.
     *
     * @param <T> the class
     * @param type the class
     * @return the event
     * @throws AssertionError if none comes
     */
    public <T extends ActorEvent> T expect(Class<T> type) {
        return expect(type, TestWait.DEFAULT);
    }

    /**
     * Takes the first event of a class that no call has taken before. Events of other classes stay.
     *
     * @param <T> the class
     * @param type the class
     * @param within how long to wait, more than zero
     * @return the event
     * @throws AssertionError if none comes
     */
    public <T extends ActorEvent> T expect(Class<T> type, Duration within) {
        return expect(type, event -> true, within);
    }

    /**
     * Takes the first event of a class that satisfies a condition and that no call has taken before. Other events stay.
     *
     * @param <T> the class
     * @param type the class
     * @param matches the condition
     * @param within how long to wait, more than zero
     * @return the event
     * @throws AssertionError if none comes
     */
    public <T extends ActorEvent> T expect(Class<T> type, Predicate<? super T> matches, Duration within) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(matches, "matches");
        var limit = new TestWait(scope, within);
        var what = "an event " + type.getSimpleName();
        return limit.await(what, arrivals, () -> arrivals.takeFirst(
                event -> type.isInstance(event) && matches.test(type.cast(event)))).map(type::cast)
                .orElseThrow(
                        () -> new FailureText("the recorder of scope '" + scope.name() + "' expected " + what)
                                .line("but it did not come; the test has " + limit.waited())
                                .list("all events so far", arrivals.all()).dump(scope).error());
    }

    /**
     * Waits until the actors of the scope are idle, as {@link ScopeAssertions#awaitIdle(ActorScope)} does, and fails if an event of a
     * class has come that no call has taken.
     *
     * @param type the class
     * @throws AssertionError if there is one, or if an actor is still busy after five seconds
     */
    public void expectNone(Class<? extends ActorEvent> type) {
        Objects.requireNonNull(type, "type");
        ScopeAssertions.awaitIdle(scope);
        var found = arrivals.left().stream().filter(type::isInstance).toList();
        if (!found.isEmpty()) {
            throw new FailureText("the recorder of scope '" + scope.name() + "' expected no event "
                    + type.getSimpleName()).list("but there came", found).error();
        }
    }

    /**
     * Returns all events that came, taken or not.
     *
     * @return an immutable list, in the order in which they were reported
     */
    public List<ActorEvent> events() {
        return arrivals.all();
    }

    /** Ends the recording. What was recorded stays. */
    @Override
    public void close() {
        listening.cancel();
    }

    @Override
    public String toString() {
        return "Recorder[" + scope.name() + ", events: " + arrivals.all().size() + "]";
    }
}
