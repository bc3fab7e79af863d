package io.fibry.cluster;

import io.fibry.Recipient;
import io.fibry.cluster.engine.ClusterEngine.Change;
import io.fibry.cluster.engine.ClusterEngine.Outcome;
import io.fibry.cluster.engine.ClusterEngine.View;
import io.fibry.cluster.home.HomeDelivery;
import io.fibry.cluster.stream.Verdict;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.message.Envelope;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** What the actor of a member is told. */
sealed interface Input {
    /** One that comes often, and for which nobody waits. What it leaves to do is done once for many of them. */
    sealed interface Frequent extends Input {
    }

    /** What was left by inputs before this one is done now. */
    record Finish() implements Input {
    }

    /** The engine has joined, so the member begins. */
    record Begin() implements Input {
    }

    /** Time has passed. */
    record Tick() implements Input {
    }

    /** The engine has another view. */
    record Viewed(View view, Set<UUID> left) implements Input {
    }

    /** Bytes have come. */
    record Arrived(UUID from, ByteBuffer bytes) implements Frequent {
    }

    /** An entry of a table may have another value. */
    record EntryChanged(String table, String key) implements Input {
    }

    /** The outcomes of changes are known. */
    record Proposed(List<Change> changes, List<Outcome> outcomes) implements Input {
    }

    /** Frames to a node for which none was wanted are wanted again. */
    record LineFree() implements Frequent {
    }

    /** A sender has a message, which a time-out names instead of this. */
    record Send(Outgoing outgoing) implements Frequent, Envelope, RemoteQuestion {
        @Override
        public String asked() {
            return outgoing.asked();
        }

        @Override
        public String progress() {
            return "this node has not come to it yet, since it has many messages to send";
        }

        @Override
        public Object content() {
            return outgoing.message;
        }
    }

    /** A sender waits for an answer no more. */
    record GiveUp(Outgoing outgoing) implements Frequent {
    }

    /** This node shares a group from now on. */
    record Host(Hosted group) implements Input {
    }

    /** A group has no keys. Comes before all else of the group. */
    record Sized(String group, ClusterGroup.Kind kind) implements Input {
    }

    /** This node hands over keyed actors or a singleton. Others of this name may be there already. */
    record Unhost(String group, Recipient<?, ?> actors) implements Input {
    }

    /** This node ends workers or a topic; with a deadline, they are stopped. Others of this name may be there already. */
    record End(HostedHere group, Optional<Duration> deadline) implements Input {
    }

    /** A message is in its mailbox, or is not. */
    record Settled(HomeDelivery delivery, Verdict verdict) implements Frequent {
    }

    /** A handler has answered. */
    record Answered(HomeDelivery delivery, byte[] body) implements Frequent {
    }

    /** What looks for a circle of asks has come along an ask that was delivered here. */
    record Probed(UUID from, long ask, byte[] probe) implements Input {
    }

    /** The actors of a slice have ended, as an end of that number wanted. */
    record Drained(HostedGroup<?, ?, ?> group, int slice, int number) implements Input {
    }

    /** A watcher wants to know what happens. */
    record Watch(Watchers.Watcher watcher) implements Input {
    }

    /** The answer comes when something is true. It is looked at after each input. */
    record Await(BooleanSupplier isTrue) implements Input {
    }

    /** The answer comes when this has been handed over. Without it, the answer comes when this node shares nothing. */
    record AwaitHandOver(Optional<Unhost> group) implements Input {
    }

    /**
     * The answer comes when this node shares nothing and all others know what it has taken. Until a time of the clock,
     * it also waits until its letters are taken and its asks are answered. From then on this node sends nothing.
     */
    record AwaitSilence(long lettersEnd) implements Input {
    }

    /** The answer comes when no slice has actors here. */
    record AwaitEnd() implements Input {
    }

    /** The engine is closed: what waits gets its fate. */
    record Closed() implements Input {
    }

    /** The groups have stopped. The answer comes when all has its fate, and watchers know how many events they have missed. */
    record Flush() implements Input {
    }
}
