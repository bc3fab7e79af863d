package io.fibry.fsm;

import io.fibry.ActorBuilder;
import io.fibry.OverflowPolicy;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Options of a machine. Objects are immutable.
 *
 * @param unhandled what the machine does with an event for which its state has no transition
 * @param postponed how many events may be postponed at a time
 * @param overflow what the machine does if one more is to be postponed: see {@link #withOverflow}
 * @param raised how many events that actions have raised may wait at a time
 * @param actors changes the builder of the machine's actor: its strategy, mailbox, failure policy and hooks
 */
public record MachineOptions(Unhandled unhandled, int postponed, OverflowPolicy overflow, int raised,
        UnaryOperator<ActorBuilder> actors) {
    /**
     * Checks the numbers.
     *
     * @param unhandled not null
     * @param postponed at least one
     * @param overflow {@link OverflowPolicy#fail()}, {@link OverflowPolicy#reject()} or {@link OverflowPolicy#dropOldest()}
     * @param raised at least one
     * @param actors not null
     */
    public MachineOptions {
        Objects.requireNonNull(unhandled, "unhandled");
        Objects.requireNonNull(overflow, "overflow");
        if (overflow instanceof OverflowPolicy.Block || overflow instanceof OverflowPolicy.DropNewest) {
            throw new IllegalArgumentException("a postponed event cannot be treated by " + overflow
                    + ": choose fail(), reject() or dropOldest()");
        }
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
        return new MachineOptions(Unhandled.FAIL, 1_000, OverflowPolicy.fail(), 100,
                UnaryOperator.identity());
    }

    /**
     * Returns the same options with another treatment of events for which a state has no transition.
     *
     * @param treatment what the machine does with such an event
     * @return the new options
     */
    public MachineOptions withUnhandled(Unhandled treatment) {
        return new MachineOptions(treatment, postponed, overflow, raised, actors);
    }

    /**
     * Returns the same options with another bound of postponed events. What happens to the next one is chosen by {@link
     * #withOverflow}.
     *
     * @param events how many events may be postponed at a time, at least one
     * @return the new options
     */
    public MachineOptions withPostponed(int events) {
        return new MachineOptions(unhandled, events, overflow, raised, actors);
    }

    /**
     * Returns the same options with another treatment of an event that is to be postponed if as many are postponed as
     * may be. The listeners of the machine hear of each event that it loses.
     *
     * <ul>
     * <li>{@link OverflowPolicy#fail()}: the event fails with an {@link IllegalStateException}, as if an action had
     * thrown it: it is reported, and the failure policy of the machine's actor decides what follows
     * <li>{@link OverflowPolicy#reject()}: the event is given up, and an {@link IllegalStateException} is reported to
     * the listeners of the scope, as a failure of an actor without a name. The failure policy of the machine is not
     * asked. The future of a caller fails with this exception
     * <li>{@link OverflowPolicy#dropOldest()}: the event that was postponed first is dropped, and counted and reported as a
     * dropped message; the future of a caller fails with a {@link io.fibry.MailboxFullException}. The new event is postponed
     * </ul>
     *
     * @param treatment one of these
     * @return the new options
     */
    public MachineOptions withOverflow(OverflowPolicy treatment) {
        return new MachineOptions(unhandled, postponed, treatment, raised, actors);
    }

    /**
     * Returns the same options with another bound of raised events.
     *
     * @param events how many raised events may wait at a time, at least one
     * @return the new options
     */
    public MachineOptions withRaised(int events) {
        return new MachineOptions(unhandled, postponed, overflow, events, actors);
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
        return new MachineOptions(unhandled, postponed, overflow, raised, change);
    }
}
