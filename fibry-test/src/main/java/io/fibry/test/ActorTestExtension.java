package io.fibry.test;

import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContext;
import org.junit.jupiter.api.extension.TestTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/** Runs a test under one schedule after another. */
final class ActorTestExtension implements TestTemplateInvocationContextProvider {
    @Override
    public boolean supportsTestTemplate(ExtensionContext context) {
        return AnnotationSupport.isAnnotated(context.getTestMethod(), ActorTest.class);
    }

    @Override
    public Stream<TestTemplateInvocationContext> provideTestTemplateInvocationContexts(
            ExtensionContext context) {
        var test = AnnotationSupport.findAnnotation(context.getTestMethod(), ActorTest.class).orElseThrow();
        var hasFailed = new AtomicBoolean();
        return StreamSupport.stream(Seeds.chosen(test.seeds()).spliterator(), false)
                .takeWhile(seed -> !hasFailed.get())
                .map(seed -> new Run(seed, hasFailed));
    }

    /** One run. */
    private record Run(long seed, AtomicBoolean hasFailed) implements TestTemplateInvocationContext {
        @Override
        public String getDisplayName(int number) {
            return "seed " + seed;
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            var schedule = Schedules.of(seed);
            return List.of(new Parameter(schedule), new Play(schedule, hasFailed));
        }
    }

    private record Parameter(TestSchedule schedule) implements ParameterResolver {
        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == TestSchedule.class
                    && parameter.getDeclaringExecutable() instanceof Method method
                    && AnnotationSupport.isAnnotated(method,
                            ActorTest.class);
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return schedule;
        }
    }

    private record Play(PlayedSchedule schedule, AtomicBoolean hasFailed)
            implements
                InvocationInterceptor,
                TestWatcher {
        @Override
        public void testFailed(ExtensionContext context, @Nullable Throwable cause) {
            hasFailed.set(true);
        }

        @Override
        public void interceptTestTemplateMethod(Invocation<@Nullable Void> invocation,
                ReflectiveInvocationContext<Method> test,
                ExtensionContext context) throws Throwable {
            // Surefire knows a nested class by its binary name, whose dollar sign a shell would take for a variable.
            var name = test.getTargetClass().getName();
            var replay = "mvn test '-Dtest=" + name.substring(name.lastIndexOf('.') + 1) + "#"
                    + test.getExecutable().getName() + "' -D"
                    + Seeds.PROPERTY + "=" + schedule.seed();
            try {
                schedule.play(() -> proceed(invocation), replay);
            } catch (ScheduleFailedError failure) {
                if (failure.getCause() instanceof TestAbortedException aborted
                        && failure.getSuppressed().length == 0) {
                    throw aborted; // an assumption of the test
                }
                throw failure;
            }
        }

        private static void proceed(Invocation<@Nullable Void> invocation) throws Exception {
            try {
                invocation.proceed();
            } catch (Exception | Error failure) {
                throw failure;
            } catch (Throwable other) {
                throw new IllegalStateException("a test threw what is neither an exception nor an error",
                        other);
            }
        }
    }
}
