package io.fibry.fsm;

import io.fibry.ActorBuilder;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Options of a machine. Objects are immutable.
 *
 * @param unhandled what the machine does with an event for which its state has no transition
 * @param postponed how many events may be postponed at a time
 * @param tooMany what the machine does if one more is to be postponed
 * @param raised how many events that actions have raised may wait at a time
 * @param actors changes the builder of the machine's actor: its strategy, mailbox, failure policy and hooks
 */
public record MachineOptions(Unhandled unhandled, int postponed, TooManyPostponed tooMany, int raised,
        UnaryOperator<ActorBuilder> actors) {
    /**
     * Checks the numbers.
     *
     * @param unhandled not null
     * @param postponed at least one
     * @param tooMany not null
     * @param raised at least one
     * @param actors not null
     */
    public MachineOptions {
        Objects.requireNonNull(unhandled, "unhandled");
        Objects.requireNonNull(tooMany, "tooMany");
        Objects.requireNonNull(actors, "actors");
        if (postponed < 1) {
            throw new IllegalArgumentException("postponed must be at least 1: " + postponed);
        }
        if (raised < 1) {
            throw new IllegalArgumentException("raised must be at least 1: " + raised);
        }
    }

    /**
     * Returns the options of a machine that fails on events that it does not handle, postpones up to 1,000 events and fails
     * on the next one, lets up to 100 raised events wait, and whose actor has the defaults of the scope.
     *
     * @return the options
     */
    public static MachineOptions standard() {
        return new MachineOptions(Unhandled.FAIL, 1_000, TooManyPostponed.FAIL, 100,
                UnaryOperator.identity());
    }

    /**
     * Returns the same options with another treatment of events for which a state has no transition.
     *
     * @param treatment what the machine does with such an event
     * @return the new options
     */
    public MachineOptions withUnhandled(Unhandled treatment) {
        return new MachineOptions(treatment, postponed, tooMany, raised, actors);
    }

    /**
     * Returns the same options with another bound of postponed events. What happens to the next one is chosen by {@link
     * #withTooManyPostponed}.
     *
     * @param events how many events may be postponed at a time, at least one
     * @return the new options
     */
    public MachineOptions withPostponed(int events) {
        return new MachineOptions(unhandled, events, tooMany, raised, actors);
    }

    /**
     * Returns the same options with another treatment of an event that is to be postponed if as many are postponed as
     * may be.
     *
     * @param treatment what the machine does with such an event
     * @return the new options
     */
    public MachineOptions withTooManyPostponed(TooManyPostponed treatment) {
        return new MachineOptions(unhandled, postponed, treatment, raised, actors);
    }

    /**
     * Returns the same options with another bound of raised events.
     *
     * @param events how many raised events may wait at a time, at least one
     * @return the new options
     */
    public MachineOptions withRaised(int events) {
        return new MachineOptions(unhandled, postponed, tooMany, events, actors);
    }

    /**
     * Returns the same options with another change of the builder of the machine's actor. The machine itself sets what it
     * needs after that: the state, {@link ActorBuilder#stash}, {@link ActorBuilder#urgent}, and hooks for the start and the
     * exit.
     *
     * @param change takes the builder and returns another one
     * @return the new options
     */
    public MachineOptions withActors(UnaryOperator<ActorBuilder> change) {
        return new MachineOptions(unhandled, postponed, tooMany, raised, change);
    }
}
