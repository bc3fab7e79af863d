package io.fibry.topic;

import io.fibry.ActorScope;
import java.util.function.UnaryOperator;

/**
 * A value that can be set and observed. A value that {@link Object#equals equals} the present one is no change: the value is
 * not replaced, and no observer is told.
 *
 * <pre>{@code
 * var level = ObservableValue.open(scope, "level", 0);
 * level.subscribe(ObserverOptions.named("gauge").withCurrent(), n -> gauge.show(n));
 * level.update(n -> n + 1);
 * level.await(n -> n > 10);
 * }</pre>
 *
 * <p>Its actors are as the scope makes them: open it in a child scope for another strategy or failure policy.
 *
 * @param <T> type of the values
 */
public interface ObservableValue<T> extends ObservableView<T> {
    /**
     * Opens a value. It ends with the scope.
     *
     * @param <T> type of the values
     * @param scope the scope in which the value opens a scope for its actors
     * @param name the name of the value in reports
     * @param initial the first value
     * @return the value
     * @throws IllegalStateException if the scope is closed
     */
    static <T> ObservableValue<T> open(ActorScope scope, String name, T initial) {
        return new LiveValue<>(scope, name, initial);
    }

    /**
     * Sets the value.
     *
     * @param value the new value
     * @return the value before
     * @throws IllegalStateException if this is closed
     */
    T set(T value);

    /**
     * Sets the value if the present one equals another.
     *
     * @param expected what the present value has to equal
     * @param value the new value
     * @return true if the present value equalled {@code expected}
     * @throws IllegalStateException if this is closed
     */
    boolean compareAndSet(T expected, T value);

    /**
     * Sets the value to what a function makes of the present one. No change is lost if several threads do so; the function
     * may then be called more than once. It may read this value, and must not set it.
     *
     * @param function makes the new value
     * @return the new value
     * @throws IllegalStateException if this is closed, or if the function sets this value
     */
    T update(UnaryOperator<T> function);
}
