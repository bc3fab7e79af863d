package io.fibry.internal.scope;

import io.fibry.ActorBuilder;
import io.fibry.ActorGroup;
import io.fibry.CreationStrategy;
import io.fibry.GroupPolicy;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.internal.actor.Cell;
import io.fibry.internal.actor.Feature;
import io.fibry.internal.actor.Services;
import io.fibry.internal.report.EventRecorder;
import io.fibry.keyed.StatefulKeyedActors;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What scopes and builders need from the rooms above them. The root scope is made with an instance, which all other
 * scopes share.
 */
public interface Wiring extends Services {
    /** Returns the strategy of scopes and actors that have no other. */
    CreationStrategy defaultStrategy();

    /** Takes a dump of a scope. */
    Dump dump(Scope scope, DumpOptions options);

    /** Returns what writes a dump of a scope to a directory; it does nothing if there is none. It throws nothing. */
    Runnable dumpsTo(Scope scope, Optional<Path> directory);

    /** Returns what records the events of all scopes. */
    EventRecorder recorder();

    /**
     * Returns what is to observe the messages of an actor that is being made: {@code inner}, or something around it;
     * null if nothing is.
     */
    @Nullable Feature observer(Cell cell);

    ActorGroup newGroup(ActorBuilder builder, GroupPolicy policy);

    <K, S, M, R extends @Nullable Object> StatefulKeyedActors<K, S, M, R> newKeyed(KeyedSpec<K, M> spec,
            KeyBehaviors<K> behaviors);
}
