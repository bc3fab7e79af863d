// The same experiments in Go: goroutines and channels.
// usage: twin experiment case count rounds; prints the nanoseconds of each round, the first one warms up.
package main

import (
	"fmt"
	"math/rand"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"time"
)

// Channels of floods have room for this many; Go has none without an end.
const room = 1024

func check(ok bool, format string, args ...any) {
	if !ok {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
		os.Exit(1)
	}
}

// Makes goroutines that wait at their channels, and keeps them. Their end is not measured.
func create(count int) time.Duration {
	kept := make([]chan int, count)
	handled := make(chan int, 1)
	var ended sync.WaitGroup
	runtime.GC()
	start := time.Now()
	for i := range kept {
		mailbox := make(chan int, 1)
		kept[i] = mailbox
		go func() {
			for message := range mailbox {
				handled <- message
			}
			ended.Done()
		}()
	}
	took := time.Since(start)
	ended.Add(count)
	for i := 0; i < count; i += max(1, count/10) {
		kept[i] <- i
		check(<-handled == i, "goroutine %d did not handle its message", i)
	}
	for _, mailbox := range kept {
		close(mailbox)
	}
	ended.Wait()
	return took
}

type question struct {
	number int
	answer chan int
}

// Asks for squares, one after the other; each question brings the channel for its answer.
func ask(asks int) time.Duration {
	questions := make(chan question)
	done := make(chan int)
	start := time.Now()
	go func() {
		for q := range questions {
			q.answer <- q.number * q.number
		}
	}()
	go func() {
		sum := 0
		for i := 0; i < asks; i++ {
			answer := make(chan int, 1)
			questions <- question{i, answer}
			sum += <-answer
		}
		done <- sum
	}()
	sum := <-done
	took := time.Since(start)
	close(questions)
	n := asks - 1
	check(sum == n*(n+1)*(2*n+1)/6, "the sum of the answers is %d", sum)
	return took
}

// Hands one message on; all are made before.
func ring(size, hops int) time.Duration {
	mailboxes := make([]chan int, size)
	for i := range mailboxes {
		mailboxes[i] = make(chan int, 1)
	}
	handedOn := 0
	done := make(chan bool)
	for i := range mailboxes {
		mine, next := mailboxes[i], mailboxes[(i+1)%size]
		go func() {
			for left := range mine {
				if left == 0 {
					done <- true
				} else {
					handedOn++
					next <- left - 1
				}
			}
		}()
	}
	start := time.Now()
	mailboxes[0] <- hops
	<-done
	took := time.Since(start)
	check(handedOn == hops, "handed on %d times, not %d", handedOn, hops)
	for _, mailbox := range mailboxes {
		close(mailbox)
	}
	return took
}

// Sends from some to one as fast as they can, until all is handled.
func flood(senders, messages int) time.Duration {
	mailbox := make(chan *int, room)
	done := make(chan int)
	go func() {
		seen := 0
		for range mailbox {
			seen++
			if seen == messages {
				done <- seen
			}
		}
		done <- seen
	}()
	start := time.Now()
	var sent sync.WaitGroup
	for s := 0; s < senders; s++ {
		sent.Add(1)
		go func() {
			for i := messages / senders; i > 0; i-- {
				number := i // an object of its own
				mailbox <- &number
			}
			sent.Done()
		}()
	}
	<-done
	took := time.Since(start)
	sent.Wait()
	close(mailbox)
	seen := <-done
	check(seen == messages, "%d messages were handled, not %d", seen, messages)
	return took
}

func leafOrTen(parent chan<- int, first, size int) {
	if size == 1 {
		parent <- first
		return
	}
	mailbox := make(chan int)
	for i := 0; i < 10; i++ {
		go leafOrTen(mailbox, first+i*size/10, size/10)
	}
	sum := 0
	for i := 0; i < 10; i++ {
		sum += <-mailbox
	}
	parent <- sum
}

// A tree of goroutines that each start ten, whose leaves' numbers are added up.
func skynet(leaves int) time.Duration {
	start := time.Now()
	result := make(chan int)
	go leafOrTen(result, 0, leaves)
	sum := <-result
	took := time.Since(start)
	check(sum == leaves*(leaves-1)/2, "the sum is %d", sum)
	return took
}

var steps int64 // in a millisecond

var sink uint64

func step(count int64) {
	x := uint64(1)
	for i := int64(0); i < count; i++ {
		x = x*6364136223846793005 + uint64(i)
	}
	sink = x
}

func calibrate() {
	best := int64(1 << 62)
	for i := 0; i < 200; i++ {
		start := time.Now()
		step(100_000)
		best = min(best, time.Since(start).Nanoseconds())
	}
	steps = 100_000 * 1_000_000 / best
}

// Pings, one after the other, beside eight that compute a millisecond for each message.
func pings(inRing bool, millis int) []int64 {
	mailboxes := make([]chan int, 8)
	for i := range mailboxes {
		mailboxes[i] = make(chan int, room)
	}
	for i := range mailboxes {
		next := i
		if inRing {
			next = (i + 1) % len(mailboxes)
		}
		mine, to := mailboxes[i], mailboxes[next]
		go func() {
			for message := range mine {
				step(steps)
				to <- message
			}
		}()
		mailboxes[i] <- i
	}
	questions := make(chan chan bool)
	go func() {
		for answer := range questions {
			answer <- true
		}
	}()
	answer := make(chan bool)
	var took []int64
	for half := 0; half < 2; half++ {
		took = nil
		begin := time.Now()
		for len(took) == 0 || time.Since(begin).Milliseconds() < int64(millis) {
			start := time.Now()
			questions <- answer
			<-answer
			took = append(took, time.Since(start).Nanoseconds())
			time.Sleep(time.Millisecond)
		}
	}
	return took
}

type request struct {
	number int
	due    time.Time
}

// Requests for a thousand receivers, each of which takes 0.2 ms of a processor, at a share of what the processors can serve.
func requests(load float64, millis int) []int64 {
	between := 200_000 / (float64(runtime.NumCPU()) * load)
	count := max(1, int(float64(millis)*1e6/between))
	took := make([]int64, count)
	var served sync.WaitGroup
	served.Add(count)
	receivers := make([]chan request, 1000)
	for i := range receivers {
		mine := make(chan request, room)
		receivers[i] = mine
		go func() {
			for next := range mine {
				step(steps / 5)
				took[next.number] = time.Since(next.due).Nanoseconds()
				served.Done()
			}
		}()
	}
	start := time.Now()
	for i := range took {
		due := start.Add(time.Duration(float64(i) * between))
		for left := time.Until(due); left > 0; left = time.Until(due) {
			time.Sleep(left)
		}
		receivers[rand.Intn(len(receivers))] <- request{i, due}
	}
	served.Wait()
	for _, mailbox := range receivers {
		close(mailbox)
	}
	return took
}

// Prints the median, what 99 of 100 do not exceed, and the worst.
func latency(work, millis int) {
	calibrate()
	var took []int64
	switch work {
	case 0, 1:
		took = pings(work == 0, millis)
	default:
		load := []float64{0.5, 0.8, 0.9}[work-2]
		requests(load, millis) // warms up
		took = requests(load, millis)
	}
	sort.Slice(took, func(a, b int) bool { return took[a] < took[b] })
	fmt.Println(took[len(took)/2])
	fmt.Println(took[len(took)*99/100])
	fmt.Println(took[len(took)-1])
}

func main() {
	number := func(i int) int {
		n, err := strconv.Atoi(os.Args[i])
		check(err == nil, "not a number: %s", os.Args[i])
		return n
	}
	check(len(os.Args) == 5, "usage: twin experiment case count rounds")
	which, count := number(2), number(3)
	if os.Args[1] == "latency" {
		latency(which, count)
		return
	}
	for round := 0; round <= number(4); round++ {
		var took time.Duration
		switch os.Args[1] {
		case "create":
			took = create(count)
		case "ask":
			took = ask(count)
		case "ring":
			took = ring(which, count)
		case "flood":
			took = flood(which, count)
		case "skynet":
			took = skynet(count)
		default:
			check(false, "there is no experiment %s", os.Args[1])
		}
		if round > 0 {
			fmt.Println(took.Nanoseconds())
		}
	}
}
