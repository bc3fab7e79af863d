package io.fibry.dump;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.time.Cancellable;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;

/**
 * Registers the bean {@link DumpMXBean} with the platform's server of beans, so that management tools can take dumps:
 *
 * <pre>{@code
 * DumpBean.register();
 * }</pre>
 *
 * <p>Who may call the bean is decided by the management agent of the JVM, which listens to no address unless it is told to. To
 * look into a JVM that runs, start the agent by {@code jcmd PID ManagementAgent.start_local}, and connect by JConsole.
 *
 * <p>Registering needs the module {@code java.management}. Any thread can register and remove a bean.
 */
public final class DumpBean implements DumpMXBean {
    private static final String NAME = "io.fibry:type=Dump";

    private final Function<DumpOptions, Dump> source;

    private DumpBean(Function<DumpOptions, Dump> source) {
        this.source = source;
    }

    /**
     * Registers a bean for all scopes of this JVM, by the name {@code io.fibry:type=Dump}.
     *
     * @return removes the bean
     * @throws IllegalStateException if it is registered already
     */
    public static Cancellable register() {
        return register(NAME, ActorSystem.root()::dump);
    }

    /**
     * Registers a bean for one scope and the scopes inside it, by the name {@code io.fibry:type=Dump,scope="NAME"}. It is
     * removed when the scope has ended.
     *
     * @param scope the scope
     * @return removes the bean
     * @throws IllegalStateException if a bean for a scope of that name is registered already
     */
    public static Cancellable register(ActorScope scope) {
        Objects.requireNonNull(scope, "scope");
        var registered = register(NAME + ",scope=" + ObjectName.quote(scope.name()), scope::dump);
        var unused = scope.onStopped().thenRun(registered::cancel);
        return registered;
    }

    private static Cancellable register(String text, Function<DumpOptions, Dump> source) {
        try {
            var name = new ObjectName(text);
            var bean = new StandardMBean(new DumpBean(source), DumpMXBean.class, true);
            ManagementFactory.getPlatformMBeanServer().registerMBean(bean, name);
            return () -> remove(name);
        } catch (InstanceAlreadyExistsException e) {
            throw new IllegalStateException("a bean with the name '" + text
                    + "' is registered already: keep what register() returned, and cancel it first", e);
        } catch (JMException e) {
            throw new IllegalStateException("the bean '" + text + "' cannot be registered", e);
        }
    }

    /** Returns false if the bean was removed before. */
    private static boolean remove(ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
            return true;
        } catch (InstanceNotFoundException e) {
            return false;
        } catch (JMException e) {
            throw new IllegalStateException("the bean '" + name + "' cannot be removed", e);
        }
    }

    @Override
    public String summary() {
        return source.apply(DumpOptions.defaults().withActors(0).withFrames(0)).toString();
    }

    @Override
    public String text() {
        return source.apply(DumpOptions.defaults()).text();
    }

    @Override
    public String text(int actors, int frames, long overMillis) {
        return source.apply(new DumpOptions(actors, frames, Duration.ofMillis(overMillis))).text();
    }

    @Override
    public String json() {
        return source.apply(DumpOptions.defaults()).json();
    }
}
