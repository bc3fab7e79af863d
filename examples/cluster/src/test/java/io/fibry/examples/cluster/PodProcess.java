package io.fibry.examples.cluster;

import io.fibry.cluster.trial.Namespaces;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * A pod, and what the kubelet of its machine does for it: a process in namespaces of its own, of the user and with the files that the manifest
 * says. It is probed from its own network, as a kubelet does, so a machine that is cut off probes its pods.
 */
final class PodProcess implements AutoCloseable {
    private static final String JAVA = "/opt/java/openjdk";
    private static final String PATH =
            JAVA + "/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    /**
     * Makes the files of a container and runs it there. This machine stands for the base of the image. The arguments: where it gets its root,
     * the root of the image, the JDK, folders that can be written, the user, the group, and the command.
     */
    private static final String CONTAINER =
            """
                    set -e
                    root=$1 image=$2 jdk=$3 volumes=$4 user=$5 group=$6
                    shift 6
                    mount -t tmpfs tmpfs $root
                    for each in bin sbin lib lib64; do
                        if [ -L /$each ]; then cp -P /$each $root/; elif [ -d /$each ]; then mkdir $root/$each; mount --rbind /$each $root/$each; fi
                    done
                    for each in usr etc dev; do mkdir $root/$each; mount --rbind /$each $root/$each; done
                    for each in $(ls $image); do mkdir $root/$each; mount --bind $image/$each $root/$each; done
                    mkdir -p $root/proc $root%s
                    mount -t proc proc $root/proc
                    mount --bind $jdk $root%s
                    for each in $volumes; do mkdir -p $root$each; mount -t tmpfs -o mode=1777 tmpfs $root$each; done
                    mount -o remount,ro $root
                    exec chroot $root setpriv --reuid=$user --regid=$group --clear-groups --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
                    """
                    .formatted(JAVA, JAVA);

    private final String name;
    private final int machine;
    private final Fields spec;
    private final Fields container;
    private final BankImage image;
    private final Map<String, String> secrets;
    private final Path folder;
    private final AtomicInteger restarts = new AtomicInteger();
    private final AtomicInteger livenessProbes = new AtomicInteger();
    private final CompletableFuture<Integer> ended = new CompletableFuture<>();
    /** Written by the thread of the pod. */
    private volatile Process process;
    /** Written by the thread of the pod. */
    private volatile boolean isReady;
    /** Written once. */
    private volatile boolean isTerminating;

    /** Starts a pod on a machine. */
    PodProcess(String name, int machine, Fields template, BankImage image, Map<String, String> secrets,
            Path folder)
            throws IOException {
        this.name = name;
        this.machine = machine;
        this.image = image;
        this.secrets = secrets;
        this.folder = Files.createDirectories(folder.resolve(name));
        spec = template.at("spec");
        container = spec.at("containers").list().getFirst();
        process = start();
        Thread.startVirtualThread(this::run);
    }

    String name() {
        return name;
    }

    int machine() {
        return machine;
    }

    boolean isReady() {
        return isReady && !isTerminating;
    }

    boolean isTerminating() {
        return isTerminating;
    }

    int restarts() {
        return restarts.get();
    }

    int livenessProbes() {
        return livenessProbes.get();
    }

    /** What the process has ended with, after the pod was terminated. */
    CompletableFuture<Integer> ended() {
        return ended;
    }

    String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    String address() {
        return "http://" + Namespaces.host(machine) + ":"
                + container.at("ports").named("http").at("containerPort").number();
    }

    private Process start() throws IOException {
        var command = new ArrayList<>(Namespaces.prefix(machine));
        var volumes = container.at("volumeMounts").list().stream().map(each -> each.at("mountPath").text())
                .collect(Collectors.joining(" "));
        command.addAll(List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", CONTAINER,
                "container",
                Files.createDirectories(folder.resolve("root")).toString(), image.root().toString(),
                Path.of(System.getProperty("java.home")).toRealPath().toString(), volumes,
                spec.at("securityContext", "runAsUser").text(),
                spec.at("securityContext", "runAsGroup").text()));
        command.addAll(image.command());
        var log = ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile());
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log);
        builder.environment().clear();
        builder.environment().putAll(environment());
        return builder.start();
    }

    private Map<String, String> environment() {
        var environment = new HashMap<String, String>();
        environment.put("PATH", PATH);
        // In a container the JVM sees this limit.
        environment.put("JAVA_TOOL_OPTIONS",
                "-XX:MaxRAM=" + container.at("resources", "limits", "memory").text().replace("Mi", "m"));
        for (var each : container.at("env").list()) {
            environment.put(each.at("name").text(),
                    each.find("value").map(Fields::text).orElseGet(() -> value(each.at("valueFrom"))));
        }
        return environment;
    }

    private String value(Fields from) {
        var secret = from.find("secretKeyRef");
        if (secret.isPresent()) {
            var key = secret.get().at("name").text() + "/" + secret.get().at("key").text();
            return secrets.get(key);
        }
        return switch (from.at("fieldRef", "fieldPath").text()) {
            case "status.podIP" -> Namespaces.host(machine);
            case "metadata.name" -> name;
            default -> throw new AssertionError(from.path() + " is not known here: " + from.value());
        };
    }

    /** Starts the container again whenever it has ended, until the pod is terminated. */
    private void run() {
        try {
            while (true) {
                var running = process;
                probe(running, "startupProbe", isOk -> {
                    if (!isOk) {
                        kill(running, spec);
                    }
                    return false;
                });
                Thread.startVirtualThread(() -> probe(running, "livenessProbe", isOk -> {
                    livenessProbes.incrementAndGet();
                    if (!isOk) {
                        kill(running, container.at("livenessProbe"));
                    }
                    return isOk;
                }));
                probe(running, "readinessProbe", isOk -> {
                    isReady = isOk;
                    return true;
                });
                var code = running.onExit().join().exitValue();
                isReady = false;
                if (isTerminating) {
                    ended.complete(code);
                    return;
                }
                process = start();
                restarts.incrementAndGet();
            }
        } catch (IOException | RuntimeException failed) {
            ended.completeExceptionally(failed);
        }
    }

    /**
     * Probes a container until it ends. Whoever wants to know is told true when a probe succeeds, and false when as many have failed as may, and
     * answers whether to go on.
     */
    private void probe(Process running, String which, Predicate<Boolean> wants) {
        var probe = container.at(which);
        var failures = 0;
        while (!hasEnded(running, TimeUnit.SECONDS.toNanos(probe.at("periodSeconds").number()))
                && !isTerminating) {
            failures = succeeds(probe) ? 0 : failures + 1;
            if ((failures == 0 || failures >= probe.at("failureThreshold").number())
                    && !wants.test(failures == 0)) {
                return;
            }
        }
    }

    private static boolean hasEnded(Process running, long nanos) {
        try {
            return running.waitFor(nanos, TimeUnit.NANOSECONDS);
        } catch (InterruptedException unexpected) {
            throw new IllegalStateException("nothing interrupts a kubelet", unexpected);
        }
    }

    private boolean succeeds(Fields probe) {
        var command = new ArrayList<>(Namespaces.prefix(machine));
        command.addAll(List.of("curl", "--silent", "--noproxy", "*", "--output", "/dev/null", "--max-time",
                probe.at("timeoutSeconds").text(), "--write-out", "%{http_code}",
                address() + probe.at("httpGet", "path").text()));
        try {
            var answer = new ProcessBuilder(command).start().inputReader().readLine();
            return answer != null && (answer.startsWith("2") || answer.startsWith("3"));
        } catch (IOException noCurl) {
            throw new UncheckedIOException(noCurl);
        }
    }

    /** Ends the pod: it is not ready any more, and has its grace period. */
    void terminate() {
        isTerminating = true;
        Thread.startVirtualThread(() -> kill(process, spec));
    }

    /** Ends a container: the pause, SIGTERM, and SIGKILL when the grace period is over. */
    private void kill(Process running, Fields period) {
        var end = System.nanoTime()
                + TimeUnit.SECONDS.toNanos(period.at("terminationGracePeriodSeconds").number());
        if (!hasEnded(running, TimeUnit.SECONDS
                .toNanos(container.at("lifecycle", "preStop", "sleep", "seconds").number()))) {
            main(running).destroy();
            if (!hasEnded(running, end - System.nanoTime())) {
                main(running).destroyForcibly();
            }
        }
    }

    /** Stops the process as if its machine had no time for it. */
    void freeze() throws IOException {
        new ProcessBuilder("kill", "-STOP", "" + main(process).pid()).start().onExit().join();
    }

    /** The first process of the container. */
    private static ProcessHandle main(Process running) {
        return running.children().findFirst().orElseGet(running::toHandle);
    }

    /** The most memory that the process has had, in KiB. */
    long memory() throws IOException {
        try (var lines = Files.lines(Path.of("/proc", "" + main(process).pid(), "status"))) {
            return lines.filter(each -> each.startsWith("VmHWM:"))
                    .mapToLong(each -> Long.parseLong(each.replaceAll("\\D", ""))).sum();
        }
    }

    /** Kills what is left. */
    @Override
    public void close() {
        isTerminating = true;
        main(process).destroyForcibly();
        process.destroyForcibly().onExit().join();
    }
}
