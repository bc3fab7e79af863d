package io.fibry.test;

import io.fibry.test.History.Call;
import io.fibry.test.History.Edge;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks for an order of the calls that a model explains, after Wing and Gong, with a memory of what was tried, as
 * Lowe describes it: "Testing for linearizability".
 *
 * <p>The history is read from its begin to its end. At each moment there is a set of <i>guesses</i>: the state in
 * which the data may be, and which of the calls in progress have taken effect by then. When a call ends it must have
 * taken effect, with the answer that was recorded. So each guess in which it has not is continued by the calls in
 * progress, in all orders that end with this call. If no guess is left, nothing explains the answer. The answers are
 * known beforehand, so that a call takes effect only where the model gives its answer.
 */
final class Linearization<S, C, A extends @Nullable Object> {
    private static final int MOST_GUESSES = 100_000;
    private static final int SHOWN_STATES = 5;

    private final Model<S, C, A> model;
    private final Object key;
    private final Set<Call<C, A>> inProgress = new LinkedHashSet<>();
    /** The states before each call in progress began, and the calls that ended since then. */
    private final Map<Call<C, A>, Window<S, C, A>> windows = new HashMap<>();
    private Set<Guess<S, C, A>> guesses = new HashSet<>();

    /** Calls are compared by identity: {@link Call} has no equals. */
    private record Guess<S, C, A extends @Nullable Object>(S state, Set<Call<C, A>> done) {
        Guess<S, C, A> without(Call<C, A> call) {
            var left = new HashSet<>(done);
            left.remove(call);
            return new Guess<>(state, Set.copyOf(left));
        }

        Guess<S, C, A> with(Call<C, A> call, S next) {
            var more = new HashSet<>(done);
            more.add(call);
            return new Guess<>(next, Set.copyOf(more));
        }
    }

    private record Window<S, C, A extends @Nullable Object>(Set<S> states, Set<Call<C, A>> beside) {
    }

    Linearization(Model<S, C, A> model, Object key) {
        this.model = model;
        this.key = key;
        guesses.add(new Guess<>(Objects.requireNonNull(model.initial(), "the initial state of the model"),
                Set.of()));
    }

    void check(List<Edge<C, A>> edges) {
        for (var edge : edges) {
            if (edge.isEnd()) {
                end(edge.call());
            } else {
                begin(edge.call());
            }
        }
    }

    private void begin(Call<C, A> call) {
        var states = new LinkedHashSet<S>();
        for (var guess : guesses) {
            if (states.size() < SHOWN_STATES) {
                states.add(guess.state);
            }
        }
        windows.values().forEach(window -> window.beside.add(call));
        windows.put(call, new Window<>(states, new LinkedHashSet<>(inProgress)));
        inProgress.add(call);
    }

    private void end(Call<C, A> call) {
        var next = continued(call);
        if (next.isEmpty()) {
            throw unexplained(call);
        }
        guesses = next;
        inProgress.remove(call);
        windows.remove(call);
    }

    /** Returns the guesses in which a call that ends now has taken effect. */
    private Set<Guess<S, C, A>> continued(Call<C, A> ending) {
        var found = new HashSet<Guess<S, C, A>>();
        var tried = new HashSet<Guess<S, C, A>>();
        var open = new ArrayDeque<Guess<S, C, A>>();
        for (var guess : guesses) {
            if (guess.done.contains(ending)) {
                found.add(guess.without(ending));
            } else {
                open.add(guess);
            }
        }
        while (!open.isEmpty()) {
            var guess = open.removeLast();
            for (var call : inProgress) {
                if (guess.done.contains(call)) {
                    continue;
                }
                var step = model.apply(guess.state, call.what);
                if (call.isAnswered && !Objects.equals(step.answer(), call.answer)) {
                    continue;
                }
                if (call == ending) {
                    found.add(new Guess<>(step.state(), guess.done));
                } else {
                    var more = guess.with(call, step.state());
                    if (tried.add(more)) {
                        open.add(more);
                    }
                }
            }
            if (tried.size() + found.size() > MOST_GUESSES) {
                throw new IllegalStateException("more than " + MOST_GUESSES + " orders of "
                        + inProgress.size()
                        + " calls in progress are possible for " + FailureText.of(key)
                        + ": let fewer threads call at a time, let fewer calls fail, or give the model more keys");
            }
        }
        return found;
    }

    private AssertionError unexplained(Call<C, A> call) {
        var window = Objects.requireNonNull(windows.get(call), "window");
        return new FailureText(
                "the history is not linearizable: no order of the calls explains the answer of one of them")
                .line("the calls are about: " + FailureText.of(key))
                .line("the call: " + call)
                .list("it was made beside these calls", new ArrayList<>(window.beside))
                .list("the state before it began may have been", new ArrayList<>(window.states))
                .list("the state before it ended, if it had not taken effect, may have been", statesNow())
                .error();
    }

    private List<S> statesNow() {
        return guesses.stream().map(Guess::state).distinct().limit(SHOWN_STATES).toList();
    }
}
