package io.fibry.spring;

import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the starter.
 *
 * @param scope the scope of the program
 * @param async where methods with {@code @Async} run
 * @param requests where Tomcat runs requests
 * @param inside the live page
 */
@ConfigurationProperties("fibry")
record FibryProperties(@DefaultValue ScopeProperties scope, @DefaultValue AsyncProperties async,
        @DefaultValue RequestProperties requests, @DefaultValue InsideProperties inside) {
    FibryProperties {
        StrategyName.check("fibry.scope", scope.strategy(), scope.poolThreads());
        StrategyName.check("fibry.async", async.strategy(), async.poolThreads());
        StrategyName.check("fibry.requests", requests.strategy(), requests.poolThreads());
    }

    /**
     * The scope of the program.
     *
     * @param name Name of the scope in reports, meters and dumps. By default the name of the application.
     * @param strategy Where actors run that do not choose a strategy themselves. By default a bean of the type
     *     CreationStrategy, or the default strategy of the program.
     * @param poolThreads Number of threads if the strategy is a pool. By default one for each processor.
     * @param closeTimeout How long the actors may take, when the context is closed, for the messages that are queued.
     * @param limits how much the actors may have to do
     * @param watchdog what takes too long
     */
    record ScopeProperties(@Nullable String name, @Nullable StrategyName strategy,
            @Nullable Integer poolThreads,
            @DefaultValue("30s") Duration closeTimeout, @DefaultValue LimitProperties limits,
            @DefaultValue WatchdogProperties watchdog) {
    }

    /**
     * How much the actors may have to do at a time.
     *
     * @param waiting How many messages may wait for all actors together.
     * @param asks How many asks may be without an answer.
     * @param running How many turns of actors may run at a time.
     * @param blockFor How long a sender waits for space when a limit is reached. By default, the message is refused at once.
     */
    record LimitProperties(@Nullable Integer waiting, @Nullable Integer asks, @Nullable Integer running,
            @Nullable Duration blockFor) {
        LimitProperties {
            if (blockFor != null && waiting == null && asks == null) {
                throw new IllegalArgumentException("fibry.scope.limits.block-for is " + blockFor
                        + ", but neither fibry.scope.limits.waiting nor fibry.scope.limits.asks is set:"
                        + " no sender waits without such a limit");
            }
        }
    }

    /**
     * What takes too long.
     *
     * @param stuckAfter How long a handler may work on a message before this is reported, and the health is down.
     * @param laggingAfter How long a message may wait in a mailbox before this is reported.
     * @param starvedAfter How long a new virtual thread may wait for a carrier before this is reported.
     * @param dumps Directory in which a dump is written when something is reported.
     */
    record WatchdogProperties(@Nullable Duration stuckAfter, @Nullable Duration laggingAfter,
            @Nullable Duration starvedAfter, @Nullable Path dumps) {
        WatchdogProperties {
            if (dumps != null && stuckAfter == null && laggingAfter == null && starvedAfter == null) {
                throw new IllegalArgumentException("fibry.scope.watchdog.dumps is " + dumps
                        + ", but none of stuck-after, lagging-after and starved-after is set:"
                        + " no dump is written unless one of them is exceeded");
            }
        }
    }

    /**
     * Where methods with {@code @Async} run, and what Spring MVC runs beside its requests.
     *
     * @param strategy Strategy for the bean applicationTaskExecutor, of which each task is an actor. By default, the bean is that
     *     of Spring Boot.
     * @param poolThreads Number of threads if the strategy is a pool. By default one for each processor.
     */
    record AsyncProperties(@Nullable StrategyName strategy, @Nullable Integer poolThreads) {
    }

    /**
     * Where Tomcat runs requests.
     *
     * @param strategy Strategy that runs the requests of Tomcat. By default, they run where Spring Boot lets them run.
     * @param poolThreads Number of threads if the strategy is a pool. By default one for each processor.
     */
    record RequestProperties(@Nullable StrategyName strategy, @Nullable Integer poolThreads) {
    }

    /**
     * The live page.
     *
     * @param port Port of 127.0.0.1 on which fibry-inside serves the live page; 0 chooses any free port. By default, there is no page.
     */
    record InsideProperties(@Nullable Integer port) {
    }
}
