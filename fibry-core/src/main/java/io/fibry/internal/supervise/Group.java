package io.fibry.internal.supervise;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorContext;
import io.fibry.ActorException;
import io.fibry.ActorGroup;
import io.fibry.FailurePolicy;
import io.fibry.GroupPolicy;
import io.fibry.GroupPolicy.Affected;
import io.fibry.Lifetime;
import io.fibry.MailboxPolicy;
import io.fibry.event.Failed;
import io.fibry.event.Restarted;
import io.fibry.event.Stopped;
import io.fibry.event.Stopped.Reason;
import io.fibry.internal.actor.ActorSpec;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Signal;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.handle.Context;
import io.fibry.internal.handle.Handle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A group: an actor that watches its children and starts them again. Only the turn of this actor uses the group,
 * except for the public methods.
 */
public final class Group implements ActorGroup {
    private sealed interface Command {
    }

    private record Add(Member member) implements Command {
    }

    private record Ended(Member member, Cell who, Stopped how) implements Command {
    }

    /** Starts members, when the pause before it is over. Its cause is the user's: no start is compared by {@code equals}. */
    private record Start(List<Member> members, Throwable cause, Duration pause) implements Command {
    }

    private static final class Member {
        final String name;
        final Lifetime lifetime;
        final Function<? super ActorBuilder, ? extends Actor<?, ?>> start;
        final InheritedMail inherited;
        /** The actor that lives, or the last one that did. */
        @Nullable Cell actor;
        boolean alive;
        /** The start for which this member waits: that of the last end which has affected it. Null if it waits for none. */
        @Nullable Start due;
        int restarts;

        Member(Cell group, String name, Lifetime lifetime,
                Function<? super ActorBuilder, ? extends Actor<?, ?>> start) {
            this.name = name;
            this.lifetime = lifetime;
            this.start = start;
            inherited = new InheritedMail(group);
        }
    }

    /**
     * A start without a pause. It waits in the mailbox behind what came before it, so a group whose members always
     * fail still handles everything else. No limit of the scope refuses this node.
     */
    private final class Due extends Signal {
        private final Start start;

        Due(Start start) {
            this.start = start;
        }

        @Override
        @SuppressWarnings("unchecked") // the context is the group's own
        public void run(Turn turn) {
            turn.skipped();
            try {
                start((Context<Command, Void>) (Context<?, ?>) Context.of(turn.cell), start);
            } catch (Throwable failure) {
                turn.failed(start, failure);
            }
        }
    }

    private final GroupPolicy policy;
    private final RestartHistory history;
    /** The members, in the order in which they were added. */
    private final Map<String, Member> members = new LinkedHashMap<>();
    private final Handle<Command, Void> actor;
    /** How long the group has paused, and will have at that time: while any member waits for the end of a pause. */
    private long paused;
    private long pausedUntil;
    /** The time of the last end, by the clock that stands still in pauses. */
    private long quietSince;

    public Group(ActorBuilder builder, GroupPolicy policy) {
        this.policy = policy;
        history = new RestartHistory(policy.limits());
        actor = (Handle<Command, Void>) builder.mailbox(MailboxPolicy.unbounded())
                .onFailure(FailurePolicy.resume()).onExit(this::end)
                .<Command>newActor((context, command) -> {
                    if (command instanceof Add add) {
                        add(context, add.member());
                    } else if (command instanceof Ended ended) {
                        ended(context, ended);
                    } else if (command instanceof Start start) {
                        start(context, start);
                    }
                });
        pausedUntil = actor.spec().scope().time().nanoTime();
    }

    @Override
    public ActorGroup add(String name, Lifetime lifetime,
            Function<? super ActorBuilder, ? extends Actor<?, ?>> start) {
        try {
            actor.apply(new Add(new Member(actor, ActorSpec.checkedName(name),
                    Objects.requireNonNull(lifetime, "lifetime"), Objects.requireNonNull(start, "start"))));
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw e;
        }
        return this;
    }

    @Override
    public Actor<?, ?> actor() {
        return actor;
    }

    @Override
    public void close() {
        actor.close();
    }

    private void add(ActorContext<Command, Void> context, Member member) {
        if (members.putIfAbsent(member.name, member) != null) {
            throw new IllegalArgumentException(
                    "group '" + actor.name() + "' has a member '" + member.name
                            + "' already; use another name");
        }
        start(context, member);
    }

    private record Notice(Member member, Cell started) implements Function<Stopped, Command> {
        @Override
        public Command apply(Stopped how) {
            return new Ended(member, started, how);
        }
    }

    private void start(ActorContext<Command, Void> context, Member member) {
        var builder = actor.spec().scope().successorOf(actor, member.name, member.inherited)
                .onFailure(FailurePolicy.stop());
        var children = SupervisionState.of(actor).children();
        var before = children.made();
        try {
            var started =
                    (Cell) Objects.requireNonNull(member.start.apply(builder),
                            "the actor that starts as member '" + member.name + "'");
            member.actor = started;
            member.alive = true;
            context.watch((Actor<?, ?>) started, new Notice(member, started));
        } catch (Throwable failure) {
            children.stopSince(actor, before); // the function may have made an actor before it threw
            actor.report(Failed.in(Failed.Part.START, member.name, failure));
            handleEnd(context, member, null, Reason.FAILURE, failure);
        }
    }

    private void ended(ActorContext<Command, Void> context, Ended ended) {
        if (ended.member().actor == ended.who() && ended.member().alive) {
            handleEnd(context, ended.member(), ended.who(), ended.how().reason(), new ActorException(
                    "member '" + ended.member().name + "' of group '" + actor.name() + "' has ended: "
                            + ended.how().reason()));
        }
    }

    /** Handles the end of a member, or the failure of its start; {@code who} is then null. */
    private void handleEnd(ActorContext<Command, Void> context, Member member, @Nullable Cell who,
            Reason reason, Throwable cause) {
        member.alive = false;
        if (!comesBack(member, reason) || (actor.extendedState().isToEnd() && !hasWorked(who))) {
            loseInherited(member);
            members.remove(member.name);
            return;
        }
        var scope = actor.spec().scope();
        var now = scope.time().nanoTime();
        var left = Math.max(0, pausedUntil - now);
        var at = now - paused + left;
        var pause = history.failed(at, at - quietSince, scope.random());
        quietSince = at;
        if (pause.isEmpty()) {
            SupervisionState.of(actor).escalate(actor, cause);
            return;
        }
        var again = stopAffected(context, member);
        // The stop of a scope waits for a start that is due, and not for a pause.
        var length = actor.extendedState().isToEnd() ? 0 : pause.getAsLong();
        var start = new Start(again, cause, Duration.ofNanos(length));
        for (var each : again) {
            each.due = start;
        }
        if (length == 0) {
            actor.sendControl(new Due(start));
        } else {
            paused += Math.max(0, length - left);
            pausedUntil = now + Math.max(length, left);
            context.timers().once(new Object(), start.pause(), start);
        }
    }

    /**
     * Returns whether an actor has handled a message. A group that was asked to end starts a member again only after
     * such an actor, since messages may be left. So each start leaves fewer messages, and a member that always fails
     * is not started for ever.
     */
    private static boolean hasWorked(@Nullable Cell who) {
        return who != null && who.counters().handled() + who.counters().failed() > 0;
    }

    private static boolean comesBack(Member member, Reason reason) {
        return switch (member.lifetime) {
            case PERMANENT -> true;
            case TRANSIENT -> reason.isAbnormal();
            case TEMPORARY -> false;
        };
    }

    /**
     * Stops the members that have to be started again with a member, the last one first. Returns all of them, in the
     * order of the group.
     */
    private List<Member> stopAffected(ActorContext<Command, Void> context, Member ended) {
        var affected = new ArrayList<Member>();
        var isAfter = false;
        for (var member : List.copyOf(members.values())) {
            isAfter |= member == ended;
            // mutant: rest-of-a-group-is-all-of-it
            var isAffected = member == ended || policy.affected() == Affected.ALL
                    || (policy.affected() == Affected.REST && isAfter);
            if (isAffected) {
                affected.add(member);
            }
        }
        for (var member : affected.reversed()) {
            var one = member.actor;
            if (one != null && member.alive) {
                member.alive = false;
                context.unwatch((Actor<?, ?>) one);
                // mutant: members-start-before-others-have-ended
                SupervisionState.of(actor).children().stop(actor, one);
            }
        }
        for (var each = affected.iterator(); each.hasNext();) {
            var member = each.next();
            if (member.lifetime == Lifetime.TEMPORARY) {
                each.remove();
                loseInherited(member);
                members.remove(member.name);
            }
        }
        return affected;
    }

    private void start(ActorContext<Command, Void> context, Start start) {
        for (var member : start.members()) {
            if (!context.exitRequested() && member.due == start) {
                member.due = null;
                start(context, member);
                if (member.alive) {
                    member.restarts++;
                    tell(new Restarted(member.name, member.restarts, start.cause(), start.pause()));
                }
            }
        }
    }

    private void tell(Restarted event) {
        var events = actor.spec().scope().events();
        if (events.hasListeners()) {
            events.lifecycle(event);
        }
    }

    /** Reports what the last members have left, since no successor will take it. */
    private void end() {
        // mutant: inherited-messages-nobody-takes-are-not-lost
        for (var member : members.values()) {
            loseInherited(member);
        }
        members.clear(); // a reference to the group then no longer keeps the functions that start members
    }

    private void loseInherited(Member member) {
        member.inherited.end(member.actor == null ? actor : member.actor);
    }

    @Override
    public String toString() {
        return "ActorGroup[" + actor.name() + ", " + actor.state() + "]";
    }
}
